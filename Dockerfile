# gru-mt with PyTorch for CPUs. Runs and corpora are in the folder that is mounted as /data:
#   docker build -t gru-mt .
#   docker run --rm -it -v "$PWD:/data" gru-mt train --config quickstart
# The page and the API of what was trained, at http://localhost:5000:
#   docker run --rm -it -v "$PWD:/data" -p 127.0.0.1:5000:5000 gru-mt serve --host 0.0.0.0
FROM python:3.13-slim
RUN pip install --no-cache-dir uv
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY gru_mt gru_mt
COPY configs configs
COPY scripts/constraints.txt scripts/constraints.txt
RUN uv pip install --system --no-cache --torch-backend cpu -c scripts/constraints.txt '.[onnx,serve,documents]'
ENV XDG_CACHE_HOME=/data/.cache
WORKDIR /data
EXPOSE 5000
ENTRYPOINT ["gru-mt"]
