#!/usr/bin/env python3
"""The levers of a program that is no engine: which stand first, which are in
force already, and what they take the place of."""
import json
import os
import pathlib
import subprocess
import unittest

import yaml

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB."
FULL = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB. GPU 1 has a total capacity of "
        "31.37 GiB of which 14.38 MiB is free. Including non-PyTorch memory, this process has 31.35 GiB memory in use. "
        "Of the allocated memory 30.69 GiB is allocated by PyTorch, and 68.60 MiB is reserved by PyTorch but unallocated.\n")
STEP = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 10.76 GiB of "
        "which 1.02 GiB is free. Of the allocated memory 8.10 GiB is allocated by PyTorch, and 0.50 GiB is reserved by "
        "PyTorch but unallocated.\n")
# Programs that a log shows by a frame alone, and the first thing to type.
FRAMES = [{"frame": frame, "first": first} for frame, first in [
    ("/v/fairseq/models/transformer/transformer_encoder.py", "--max-tokens 2048"),
    ("/v/espnet2/train/trainer.py", "--batch_bins 500000"),
    ("/v/speechbrain/nnet/CNN.py", "--batch_size 2"),
    ("/opt/icefall/egs/librispeech/ASR/zipformer/train.py", "--max-duration 100"),
    ("/v/detectron2/modeling/backbone/fpn.py", "SOLVER.IMS_PER_BATCH 4"),
    ("/v/mmseg/models/segmentors/encoder_decoder.py", "--cfg-options train_dataloader.batch_size=1"),
    ("/opt/yolov5/models/yolo.py", "--batch-size 4"),
    ("/opt/YOLOX/yolox/models/yolo_head.py", "--batch-size 8"),
    ("/opt/detr/models/detr.py", "--batch_size 1"),
    ("/opt/SimpleTuner/simpletuner/helpers/training/trainer.py", "--train_batch_size 1"),
    ("/opt/diffusion-pipe/models/wan/wan.py", "micro_batch_size_per_gpu = 1"),
    ("/opt/ldm/modules/diffusionmodules/model.py", "--n_samples 1"),
    ("/opt/AnimateDiff/animatediff/models/unet.py", "--L 8"),
    ("/opt/Open-Sora/opensora/models/mmdit/model.py", "--num_frames 65"),
    ("/v/basicsr/archs/rrdbnet_arch.py", "--force_yml datasets:train:batch_size_per_gpu=1"),
    ("/opt/SwinIR/models/network_swinir.py", "--tile 400"),
    ("/opt/DiffBIR/diffbir/model/vae.py", "--upscale 2"),
    ("/opt/facefusion/facefusion/inference_manager.py", "--execution-thread-count 1"),
    ("/opt/MuseTalk/musetalk/models/vae.py", "--batch_size 2"),
    ("/v/TTS/tts/models/vits.py", "batch_size=2"),
    ("/v/f5_tts/model/trainer.py", "datasets.batch_size_per_gpu=9600"),
    ("/opt/YuE/inference/infer.py", "--stage2_batch_size 1"),
    ("/v/wenet/utils/executor.py", "batch_size: 4"),
    ("/v/pyannote/audio/core/inference.py", "pipeline.embedding_batch_size = 4"),
    ("/v/funasr/auto/auto_model.py", "batch_size_s=60"),
    ("/opt/so-vits-svc/models.py", '"batch_size": 2'),
    ("/opt/pytorch-image-models/timm/models/vision_transformer.py", "--batch-size 32"),
    ("/v/open_clip/transformer.py", "--batch-size 16"),
    ("/opt/stylegan3/training/networks_stylegan3.py", "--batch-gpu=4"),
    ("/opt/Mask_RCNN/mrcnn/model.py", "IMAGES_PER_GPU = 1"),
    ("/v/ppdet/engine/trainer.py", "-o TrainReader.batch_size=2"),
    ("/v/monai/inferers/utils.py", "sw_batch_size=1"),
    ("/opt/OmegaFold/omegafold/geoformer.py", "--subbatch_size 256"),
    ("/v/protenix/model/protenix.py", "--sample 1"),
    ("/v/cryodrgn/models.py", "--batch-size 4"),
    ("/v/mace/modules/models.py", "--batch_size 2"),
    ("/opt/IsaacLab/source/isaaclab/isaaclab/envs/manager_based_rl_env.py", "--num_envs 1024"),
    ("/v/lerobot/policies/act/modeling_act.py", "--batch_size=4"),
    ("/v/infinity_emb/transformer/embedder/sentence_transformer.py", "--batch-size 8"),
    ("/v/slowfast/models/video_model_builder.py", "TRAIN.BATCH_SIZE 8"),
    ("/v/gsplat/rendering.py", "--data_factor 8"),
    ("/opt/nerf-pytorch/run_nerf.py", "--N_rand 1024"),
    ("/v/colossalai/booster/plugin/gemini_plugin.py", "--batch_size 1"),
    ("/opt/OpenPCDet/pcdet/models/detectors/pv_rcnn.py", "--batch_size 1"),
    ("/opt/PaddleOCR/tools/program.py", "-o Train.loader.batch_size_per_card=8"),
    ("/opt/dinov2/dinov2/train/ssl_meta_arch.py", "train.batch_size_per_gpu=16"),
    ("/opt/vits/models.py", '"batch_size": 16'),
    ("/opt/Pytorch-UNet/unet/unet_parts.py", "--scale 0.25"),
    ("/opt/AlphaPose/alphapose/models/fastpose.py", "--posebatch 16"),
    ("/v/fastreid/modeling/meta_arch/baseline.py", "SOLVER.IMS_PER_BATCH 32"),
    ("/opt/ssd.pytorch/layers/modules/multibox_loss.py", "--batch_size 8"),
    ("/opt/yolact/yolact.py", "--batch_size=4"),
    ("/v/parlai/core/torch_generator_agent.py", "--batchsize 1"),
    ("/opt/LMFlow/src/lmflow/pipeline/finetuner.py", "--per_device_train_batch_size 1"),
    ("/v/xtuner/model/sft.py", "max_length = 1024"),
    ("/v/torchtitan/trainer.py", "--training.num_tokens_per_microbatch_per_dp_rank 8192"),
    ("/opt/nanoGPT/model.py", "--batch_size=4"),
    ("/v/lm_eval/models/huggingface.py", "--batch_size 1"),
    ("/opt/gpt-neox/megatron/training.py", '"train_micro_batch_size_per_gpu": 1'),
    ("/v/llama_recipes/utils/train_utils.py", "--batch_size_training 1"),
    ("/v/onmt/trainer.py", "-batch_size 16"),
    ("/v/composer/trainer/trainer.py", "device_train_microbatch_size=1"),
    ("/v/nemo_rl/models/policy/worker.py", "policy.train_micro_batch_size=1"),
    ("/opt/DeepSpeed-Chat/dschat/rlhf/ppo_trainer.py", "--per_device_train_batch_size 2"),
]]
FRAME = '  File "{}", line {}, in {}\n'


def report(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(),
                          env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode())


def fixes(log):
    return report(log)["findings"][0]["fixes"]


def offered(log):
    return [f["id"] for f in fixes(log) if f["applies"] in ("yes", "if")]


def program(log):
    fact = report(log)["context"].get("program")
    return fact["value"] if fact else None


class Levers(unittest.TestCase):
    def test_every_row_is_shown_by_its_sample_and_offers_a_lever(self):
        rows = [row for page in sorted(pathlib.Path("kb/programs").glob("*.yaml"))
                for row in yaml.load(page.read_text(encoding="utf-8"), yaml.CSafeLoader)["programs"]
                if page.name not in ("engines.yaml",  # levers_check.py
                                     "places.yaml")]  # places_check.py
        self.assertGreater(len(rows), 45)
        for row in rows:
            with self.subTest(program=row["id"]):
                self.assertEqual(program(row["sample"] + "\n" + OOM + "\n"), row["id"])

    def test_no_program_no_lever(self):
        self.assertIsNone(program(OOM + "\n"))
        named = {f["id"] for f in fixes(OOM + "\n")}
        self.assertFalse([n for n in named if n.startswith("nnunet")])

    def test_a_switch_that_is_on_is_not_advised_again(self):
        log = ("accelerate launch train_dreambooth_lora_sdxl.py{} --train_batch_size=1\n"
               "Traceback (most recent call last):\n"
               + FRAME.format("a/diffusers/models/unet_2d_condition.py", 3, "forward") + OOM + "\n")
        lever = "diffusers-training-gradient-checkpointing"
        self.assertEqual(offered(log.format(""))[0], lever)
        self.assertNotIn(lever, offered(log.format(" --gradient_checkpointing")))
        self.assertIn(lever, offered(log.format(" --gradient_checkpointing=False")))
        self.assertNotIn("gradient-checkpointing", offered(log.format(" --gradient_checkpointing")))

    def test_a_value_in_force_is_told_and_gone_beyond(self):
        log = "python inference_realesrgan.py -i a.png{}\n" + OOM + "\n"
        self.assertEqual(fixes(log.format(" -t 0"))[0]["command"], "--tile 256")
        got = fixes(log.format(" --tile 128"))[0]
        self.assertEqual(got["id"], "real-esrgan-tile-256")
        self.assertEqual(got["command"], "--tile 64")
        self.assertEqual(got["action"], "Lower --tile from 128 to 64")
        self.assertEqual(fixes(log.format(" --tile 400"))[0]["command"], "--tile 256")
        self.assertEqual(fixes(log.format(" --tile 4096"))[0]["command"], "--tile 2048")

    def test_a_flag_of_the_program_goes_into_its_command(self):
        log = "torchrun --nproc_per_node=8 sample_video.py --video-size 128 128 --video-length 129\n" + FULL
        got = report(log)
        self.assertEqual(got["command"]["after"].split()[-1], "--use-cpu-offload")
        lengths = [f["command"] for f in got["findings"][0]["fixes"]
                   if f["applies"] in ("yes", "if") and (f["command"] or "").startswith("--video-length")]
        self.assertEqual(lengths, ["--video-length 65"])

    def test_no_program_and_still_what_the_log_calls_it(self):
        log = ("python draw.py {}\n"
               + FRAME.format("a/torch/nn/modules/conv.py", 3, "_conv_forward")
               + OOM[:-1] + ". GPU 0 has a total capacity of 23.58 GiB of which 1.90 GiB is free.\n")
        for options, action, command in [
                ("--sample-n-frames 129", "Reduce the number of frames from 129 to 93",
                 "--sample-n-frames 93"),
                ("--img-size 1024 --batch-size 1", "Reduce the image size (pixels) from 1024 to 864",
                 "--img-size 864"),
                ("--batch-size 8 --img-size 64", "Reduce the batch size from 8 to 4", "--batch-size 4")]:
            with self.subTest(options=options):
                first = fixes(log.format(options))[0]
                self.assertEqual((first["action"], first["command"]), (action, command))

    def test_a_setting_in_a_configuration_is_in_force_too(self):
        log = ("llamafactory-cli train a.yaml\nstage: sft\n{}\n"
               "Traceback (most recent call last):\n"
               + FRAME.format("a/transformers/modeling_utils.py", 7, "from_pretrained") + OOM + "\n")
        lever = "llama-factory-quantization-bit-4"
        self.assertIn(lever, offered(log.format("finetuning_type: lora")))
        self.assertNotIn(lever, offered(log.format("quantization_bit: 4")))

    def test_below_the_failure_is_advice(self):
        log = ("python inference_realesrgan.py -i a.png\n" + OOM + "\n"
               "If you encounter CUDA out of memory, try to set --tile with a smaller number.\n")
        self.assertEqual(fixes(log)[0]["command"], "--tile 256")

    def test_what_runs_another_is_meant(self):
        comfy = FRAME.format("/opt/ComfyUI/execution.py", 3, "execute")
        inner = FRAME.format("/opt/nodes/hyvideo/inference.py", 3, "predict")
        self.assertEqual(program(inner + OOM + "\n"), "hunyuan-video")
        self.assertEqual(program(comfy + inner + OOM + "\n"), "comfyui")
        self.assertEqual(program(inner + comfy + OOM + "\n"), "comfyui")

    def test_the_tensor_of_the_failing_frame_has_its_lever_first(self):
        begin = "Traceback (most recent call last):\n"
        pipe = FRAME.format("/v/diffusers/pipelines/flux/pipeline_flux.py", 900, "__call__")
        vae = FRAME.format("/v/diffusers/models/autoencoders/autoencoder_kl.py", 300, "_decode")
        step = FRAME.format("/v/diffusers/models/attention_processor.py", 500, "scaled_dot_product_attention")
        self.assertIn("tiling", offered(begin + pipe + vae + OOM + "\n")[0])
        self.assertNotIn("diffusers-pipe-vae-enable-tiling", offered(begin + pipe + step + OOM + "\n"))
        trl = FRAME.format("/v/trl/trainer/sft_trainer.py", 800, "compute_loss")
        loss = FRAME.format("/v/torch/nn/functional.py", 3000, "cross_entropy")
        mlp = FRAME.format("/v/transformers/models/llama/modeling_llama.py", 300, "apply_mlp")
        self.assertEqual(offered(begin + trl + loss + OOM + "\n")[0], "fused-loss")
        self.assertNotIn("trl-use-liger-kernel-true", offered(begin + trl + mlp + OOM + "\n"))
        boxes = FRAME.format("/v/mmdet/structures/bbox/bbox_overlaps.py", 176, "bbox_overlaps")
        self.assertIn("assign", offered(begin + boxes + OOM + "\n")[0])

    def test_frames_alone_name_the_setting(self):
        begin = "Traceback (most recent call last):\n"
        step = FRAME.format("/v/torch/nn/modules/conv.py", 440, "_conv_forward")
        wants = {row["frame"]: row["first"] for row in FRAMES}
        for path, first in wants.items():
            with self.subTest(frame=path):
                got = fixes(begin + FRAME.format(path, 40, "forward") + step + STEP)[0]
                self.assertEqual(got["command"], first)
                self.assertIn(got["acts_on"]["flag"].split(".")[-1], first)

    def test_a_model_of_a_library_is_no_program_of_that_name(self):
        for path in ("/v/transformers/models/detr/modeling_detr.py", "/v/transformers/models/vits/modeling_vits.py",
                     "/v/transformers/models/internvl/modeling_internvl.py", "/v/transformers/models/llava/modeling_llava.py",
                     "/v/transformers/models/bark/modeling_bark.py",
                     "/v/transformers/models/mask2former/modeling_mask2former.py", "/v/transformers/models/sam2/modeling_sam2.py", "/v/transformers/models/dinov2/modeling_dinov2.py"):
            with self.subTest(frame=path):
                self.assertIsNone(program("Traceback (most recent call last):\n" + FRAME.format(path, 40, "forward") + STEP))

    def test_a_switch_of_the_program_is_typed(self):
        log = ("Traceback (most recent call last):\n" + FRAME.format("/opt/gpt-neox/megatron/training.py", 40, "train_step")
               + FRAME.format("/v/torch/nn/modules/linear.py", 40, "forward") + STEP)
        typed = [f["command"] for f in fixes(log) if f["use"] == "gradient-checkpointing"]
        self.assertIn('"checkpoint_activations": true', typed)

    def test_levers_of_the_base_follow_its_own(self):
        begin = "Traceback (most recent call last):\n"
        frame = FRAME.format("/opt/adet/modeling/fcos/fcos.py", 120, "forward")
        step = FRAME.format("/v/torch/nn/modules/conv.py", 440, "_conv_forward")
        self.assertEqual(program(begin + frame + step + OOM + "\n"), "adelaidet")
        self.assertEqual(offered(begin + frame + step + STEP)[0], "detectron2-solver-ims-per-batch")
        pairs = FRAME.format("/v/mmdet/structures/bbox/bbox_overlaps.py", 176, "bbox_overlaps")
        self.assertIn("assign", offered(begin + pairs + OOM + "\n")[0])
        head = FRAME.format("/v/mmdet/models/detectors/two_stage.py", 110, "extract_feat")
        self.assertIn("mmdetection-cfg-options-train-dataloader-batch-size", offered(begin + head + step + STEP))

    def test_an_own_lever_shuts_out_one_of_its_class(self):
        log = ("Traceback (most recent call last):\n"
               + FRAME.format("/opt/fastchat/model/model_adapter.py", 300, "load_model")
               + FRAME.format("/v/transformers/modeling_utils.py", 7, "from_pretrained") + OOM + "\n")
        got = offered(log)
        self.assertIn("fastchat-load-8bit", got[:2])
        self.assertFalse([g for g in got if g.startswith("hf-trainer")], "those of a training base, in inference")

    def test_a_general_fix_gives_way(self):
        log = ('Traceback (most recent call last):\n'
               + FRAME.format("/v/axolotl/core/trainers/base.py", 9, "compute_loss")
               + FRAME.format("/v/torch/_tensor.py", 9, "backward") + OOM + "\n")
        got = offered(log)
        self.assertIn("axolotl-micro-batch-size", got[:2])
        self.assertNotIn("smaller-batch", got)


if __name__ == "__main__":
    unittest.main()
