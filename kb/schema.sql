-- The index: what `oomkb build` makes of entries/, kb/ and i18n/, and what
-- every run reads. One table per noun, a column per field and named like it,
-- vocabularies as their words, so that it reads well in the sqlite3 shell:
--
--   SELECT e.id, w.id, r.worked, r.tried FROM entry e
--     JOIN workaround w ON w.entry = e.number
--     JOIN rate r ON r.entry = w.entry AND r.owner = 'workaround'
--                AND r.ordinal = w.ordinal;
--
-- number: place in the corpus, from 0. ordinal, item, step: place in a list of
-- the row above, from 0. An empty text is '', an unknown rate -1. Rates are
-- millionths. Rows are never changed: the file is written once and read.
--
-- Behind the last page stands the pack (src/index/pack.h): the same nouns as
-- oomkb reads them itself, and its prefilter. SQLite does not look there; a
-- copy made by SQLite (VACUUM INTO, .dump) leaves it out and is no index.

CREATE TABLE meta (           -- digest, entry_count, pattern_count
  key TEXT NOT NULL PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- Patterns: their id is their place in the set that the prefilter was made of.

CREATE TABLE pattern (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,         -- signature condition context stage
  owner INTEGER NOT NULL,     -- entry or engine number
  ordinal INTEGER NOT NULL,
  is_weak INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

-- Entries.

CREATE TABLE entry (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  component TEXT NOT NULL,
  mechanism TEXT NOT NULL,
  severity TEXT NOT NULL,
  role TEXT NOT NULL,
  same_words_as TEXT NOT NULL,
  head INTEGER NOT NULL,      -- entry that owns the words of its group
  first_seen TEXT NOT NULL,
  last_verified TEXT NOT NULL,
  source TEXT NOT NULL,       -- the provenance, from here on
  verification TEXT NOT NULL,
  confidence_micro INTEGER NOT NULL,
  fix_rate_micro INTEGER NOT NULL,
  evidence_count INTEGER NOT NULL
) STRICT;
CREATE INDEX entry_of_group ON entry(head, number);

CREATE TABLE entry_text (     -- every public text, per language
  entry INTEGER NOT NULL REFERENCES entry(number),
  field TEXT NOT NULL,        -- title, workarounds.how, docs.claim ...
  ordinal INTEGER NOT NULL,   -- 0 for what an entry has once
  lang TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (entry, field, ordinal, lang)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_list (     -- every list of strings
  entry INTEGER NOT NULL REFERENCES entry(number),
  field TEXT NOT NULL,        -- when, prefer, workarounds.success.links
  ordinal INTEGER NOT NULL,
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (entry, field, ordinal, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX renamed ON entry_list(value, entry) WHERE field = 'renamed_from';
CREATE VIEW when_predicate AS SELECT entry, field AS owner, ordinal, item,
  value AS predicate FROM entry_list WHERE field LIKE '%when';
CREATE VIEW rate_link AS SELECT entry, field AS owner, ordinal, item,
  value AS link FROM entry_list WHERE field LIKE '%links';

CREATE TABLE signature (
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  pattern INTEGER NOT NULL REFERENCES pattern(id),
  sample TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE condition (      -- all_of and none_of
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  pattern INTEGER NOT NULL REFERENCES pattern(id),
  scope TEXT NOT NULL,
  is_none_of INTEGER NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE workaround (
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  flag TEXT NOT NULL,         -- acts_on: flag and change, or kind
  change TEXT NOT NULL,
  kind TEXT NOT NULL,
  command TEXT NOT NULL,
  effect TEXT NOT NULL,
  effort TEXT NOT NULL,       -- flag restart code hardware
  loses TEXT NOT NULL,        -- nothing speed capacity quality
  frees TEXT NOT NULL,        -- the part of the budget that shrinks
  use TEXT NOT NULL,          -- the fix of kb/fixes/ that it is, or ''
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE cure (           -- how often a workaround ends such a failure
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,   -- of the workaround
  item INTEGER NOT NULL,
  cause TEXT NOT NULL,
  strength TEXT NOT NULL,     -- most some little
  PRIMARY KEY (entry, ordinal, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_cause (    -- causes that an entry allows, and their shares
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  cause TEXT NOT NULL,
  share_micro INTEGER NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_end (
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  flag TEXT NOT NULL,
  change TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE rate (           -- success of a workaround, fail of a dead end
  entry INTEGER NOT NULL REFERENCES entry(number),
  owner TEXT NOT NULL,        -- workaround, dead_end
  ordinal INTEGER NOT NULL,
  basis TEXT NOT NULL,
  worked INTEGER NOT NULL,
  tried INTEGER NOT NULL,
  maintainers_worked INTEGER NOT NULL,
  maintainers_tried INTEGER NOT NULL,
  rate_micro INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (entry, owner, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE pooled (         -- all workarounds of a mechanism that do the
  mechanism TEXT NOT NULL,    -- same thing: reports and measured only
  use TEXT NOT NULL,          -- the fix of kb/fixes/, or '' and what it does
  flag TEXT NOT NULL,
  change TEXT NOT NULL,
  kind TEXT NOT NULL,
  worked INTEGER NOT NULL,
  tried INTEGER NOT NULL,
  PRIMARY KEY (mechanism, use, flag, change, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE compatibility (  -- versions
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  product TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE hardware (
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE reference (      -- docs and evidence
  entry INTEGER NOT NULL REFERENCES entry(number),
  field TEXT NOT NULL,        -- doc, evidence
  ordinal INTEGER NOT NULL,
  url TEXT NOT NULL,
  seen TEXT NOT NULL,
  PRIMARY KEY (entry, field, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE relation (
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  other TEXT NOT NULL,        -- id of the other entry
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

-- Shared by entries and engines. number is the entry's or the engine's.

CREATE TABLE setting (        -- set: {stage: kv_alloc}
  owner TEXT NOT NULL,        -- signature, context, stage
  number INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  item INTEGER NOT NULL,
  name TEXT NOT NULL,         -- a fact
  value TEXT NOT NULL,
  PRIMARY KEY (owner, number, ordinal, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE signature_version (  -- the releases that print it
  entry INTEGER NOT NULL REFERENCES entry(number),
  ordinal INTEGER NOT NULL,       -- of the signature
  item INTEGER NOT NULL,
  product TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (          -- where a range of versions begins and ends
  owner TEXT NOT NULL,        -- signature, compatibility, flag, option, default
  number INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  item INTEGER NOT NULL,      -- 0 but for a signature's several ranges
  step INTEGER NOT NULL,
  is_fixed INTEGER NOT NULL,  -- else introduced
  version TEXT NOT NULL,
  PRIMARY KEY (owner, number, ordinal, item, step)
) STRICT, WITHOUT ROWID;

-- Engines.

CREATE TABLE engine (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  newest TEXT NOT NULL,
  command TEXT NOT NULL,
  task TEXT NOT NULL          -- what it is for, where that is one thing
) STRICT;

CREATE TABLE context_pattern (
  engine INTEGER NOT NULL REFERENCES engine(number),
  ordinal INTEGER NOT NULL,
  pattern INTEGER NOT NULL REFERENCES pattern(id),
  PRIMARY KEY (engine, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE stage_anchor (
  engine INTEGER NOT NULL REFERENCES engine(number),
  ordinal INTEGER NOT NULL,
  stage TEXT NOT NULL,
  pattern INTEGER NOT NULL REFERENCES pattern(id),
  is_frame INTEGER NOT NULL,
  PRIMARY KEY (engine, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE flag (
  engine INTEGER NOT NULL REFERENCES engine(number),
  ordinal INTEGER NOT NULL,
  fact TEXT NOT NULL,
  flag TEXT NOT NULL,
  scale TEXT NOT NULL,
  product TEXT NOT NULL,      -- of exists
  PRIMARY KEY (engine, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE engine_option (  -- settings that no fact reads
  engine INTEGER NOT NULL REFERENCES engine(number),
  ordinal INTEGER NOT NULL,
  flag TEXT NOT NULL,
  product TEXT NOT NULL,      -- of exists
  source TEXT NOT NULL,
  PRIMARY KEY (engine, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE flag_word (      -- aliases and keys; aliases of options
  engine INTEGER NOT NULL REFERENCES engine(number),
  field TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (engine, field, ordinal, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE engine_default (
  engine INTEGER NOT NULL REFERENCES engine(number),
  ordinal INTEGER NOT NULL,
  fact TEXT NOT NULL,
  value TEXT NOT NULL,
  product TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (engine, ordinal)
) STRICT, WITHOUT ROWID;

-- Causes, and the numbers that rank fixes.

CREATE TABLE cause (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  mechanism TEXT NOT NULL,
  restart TEXT NOT NULL,      -- what the same start would do: again may_pass unknown
  name_en TEXT NOT NULL,
  name_zh TEXT NOT NULL
) STRICT;

CREATE TABLE cause_evidence ( -- what a log says for or against a cause
  cause INTEGER NOT NULL REFERENCES cause(number),
  ordinal INTEGER NOT NULL,
  predicate TEXT NOT NULL,    -- over facts
  weight INTEGER NOT NULL,    -- -4 -2 -1 1 2 4
  family TEXT NOT NULL,       -- of one family the strongest counts
  because_en TEXT NOT NULL,
  because_zh TEXT NOT NULL,
  PRIMARY KEY (cause, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE ranking (
  id TEXT NOT NULL PRIMARY KEY,
  micro INTEGER NOT NULL,     -- millionths
  origin_en TEXT NOT NULL,
  origin_zh TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Catalogue.

CREATE TABLE model (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  family TEXT NOT NULL,
  params INTEGER NOT NULL,
  embedding_params INTEGER NOT NULL,
  layers INTEGER NOT NULL,
  hidden_size INTEGER NOT NULL,
  heads INTEGER NOT NULL,
  vocab_size INTEGER NOT NULL,
  intermediate_size INTEGER NOT NULL,
  max_position INTEGER NOT NULL,
  dtype TEXT NOT NULL,
  quantization TEXT NOT NULL,
  is_moe INTEGER NOT NULL,
  is_multimodal INTEGER NOT NULL,
  verified TEXT NOT NULL,
  experts INTEGER NOT NULL,    -- what params is counted from, from here on
  expert_size INTEGER NOT NULL,
  shared_size INTEGER NOT NULL,
  dense_layers INTEGER NOT NULL,
  mlp_layers INTEGER NOT NULL,
  draft_layers INTEGER NOT NULL,
  other_params INTEGER NOT NULL,
  has_plain_mlp INTEGER NOT NULL,
  uncounted TEXT NOT NULL      -- why it is not
) STRICT;

CREATE TABLE model_alias (
  model INTEGER NOT NULL REFERENCES model(number),
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (model, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_source (
  model INTEGER NOT NULL REFERENCES model(number),
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (model, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_name (     -- what a model is looked up by
  form TEXT NOT NULL,         -- name: id or alias; last: its last part; words:
  name TEXT NOT NULL,         -- that, unpacked, as words; all in lower case
  model INTEGER NOT NULL REFERENCES model(number),
  PRIMARY KEY (form, name, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE kv_group (
  model INTEGER NOT NULL REFERENCES model(number),
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,         -- full sliding chunked mla state cross
  layers INTEGER NOT NULL,
  kv_heads INTEGER NOT NULL,
  k_dim INTEGER NOT NULL,
  v_dim INTEGER NOT NULL,
  window INTEGER NOT NULL,
  latent_dim INTEGER NOT NULL,
  state_bytes INTEGER NOT NULL,
  q_rank INTEGER NOT NULL,
  rope_dim INTEGER NOT NULL,
  params INTEGER NOT NULL,
  is_gated INTEGER NOT NULL,
  ratio INTEGER NOT NULL,
  mixer TEXT NOT NULL,        -- mamba1 mamba2 gdn kda linear conv
  conv_channels INTEGER NOT NULL,
  conv_steps INTEGER NOT NULL,
  conv_groups INTEGER NOT NULL,
  group_channels INTEGER NOT NULL,
  state_elements INTEGER NOT NULL,
  state_dtype TEXT NOT NULL,
  PRIMARY KEY (model, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  vendor TEXT NOT NULL,
  nominal_gb INTEGER NOT NULL,
  total_low INTEGER NOT NULL,  -- bytes that torch reports; 0: not seen
  total_high INTEGER NOT NULL,
  has_fp8 INTEGER NOT NULL,
  is_unified INTEGER NOT NULL, -- its memory is the host's too
  compute_capability TEXT NOT NULL,
  source TEXT NOT NULL
) STRICT;

CREATE TABLE gpu_alias (
  gpu INTEGER NOT NULL REFERENCES gpu(number),
  item INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (gpu, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE component (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  folds_into TEXT NOT NULL,
  aliases TEXT NOT NULL       -- a line each
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (key, lang)
) STRICT, WITHOUT ROWID;

-- What `oomkb search` looks in: rowid is the entry's number; the text itself
-- is not kept twice. Words are stems; a run of Han characters goes in as its
-- pairs and its last character ("显存不足" as "显存 存不 不足 足").

CREATE VIRTUAL TABLE search USING fts5(
  title,                      -- the id and both titles
  message,                    -- samples: what the program prints
  body,                       -- every other public text, both languages
  fixes,                      -- fixes and dead ends: texts, flags, commands
  content = '',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
