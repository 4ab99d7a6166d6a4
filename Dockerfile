# gru-mt with PyTorch for CPUs. Runs and corpora are in the folder that is mounted as /data:
#   docker build -t gru-mt .
#   docker run --rm -it -v "$PWD:/data" gru-mt train --config quickstart
FROM python:3.13-slim
RUN pip install --no-cache-dir uv
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY gru_mt gru_mt
COPY configs configs
COPY scripts/constraints.txt scripts/constraints.txt
RUN uv pip install --system --no-cache --torch-backend cpu -c scripts/constraints.txt '.[onnx]'
ENV XDG_CACHE_HOME=/data/.cache
WORKDIR /data
ENTRYPOINT ["gru-mt"]
