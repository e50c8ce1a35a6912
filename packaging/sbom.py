#!/usr/bin/env python3
"""What is linked into a program or a package, as CycloneDX 1.5.

    sbom.py NAME VERSION PACKAGE...     Debian packages, as dpkg knows them, or
                                        src:NAME=VERSION, Debian's source packages

The same packages and the same SOURCE_DATE_EPOCH give the same bytes."""
import datetime
import json
import os
import subprocess
import sys
import uuid

FIELDS = ("Package", "Version", "Architecture", "source:Package",
          "source:Version", "Homepage")


def facts_of(package):
    shown = "\\t".join("${%s}" % field for field in FIELDS)
    said = subprocess.run(["dpkg-query", "-W", "-f", shown, package],
                          capture_output=True, text=True, check=True).stdout
    return dict(zip(FIELDS, said.split("\t")))


def facts_of_source(package):
    name, version = package.removeprefix("src:").split("=")
    return {"Package": name, "Version": version, "Architecture": "source",
            "source:Package": name, "source:Version": version, "Homepage": ""}


def component(package):
    """https://cyclonedx.org/docs/1.5/json/#components"""
    is_source = package.startswith("src:")
    known = facts_of_source(package) if is_source else facts_of(package)
    purl = (f"pkg:deb/debian/{known['Package']}@{known['Version']}"
            f"?arch={known['Architecture']}")
    made = {"type": "library", "bom-ref": purl,
            "name": known["source:Package"],
            "version": known["source:Version"], "purl": purl,
            "licenses": [{"license": {
                "name": f"licences/{known['Package']} in the package"}}]}
    if known["Homepage"]:
        made["externalReferences"] = [{"type": "website",
                                       "url": known["Homepage"]}]
    return made


def main():
    name, version, *packages = sys.argv[1:]
    when = datetime.datetime.fromtimestamp(
        int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    parts = sorted((component(p) for p in packages),
                   key=lambda part: part["bom-ref"])
    text = json.dumps(parts, sort_keys=True)
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL,
                                                     name + text)),
        "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": name,
                          "name": "oomkb", "version": version,
                          "licenses": [{"license": {"id": "MIT"}}]}},
        "components": parts,
        "dependencies": [{"ref": name,
                          "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    json.dump(bom, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
