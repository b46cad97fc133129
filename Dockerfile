# The image of donor-sync. How to build and run it: docs/guides/run-with-docker.md.
# What it is pinned to and how to renew that: docs/decisions/0024-supply.md.
# scripts/replay-dockerfile.ts replays these steps where there is no container engine.

FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33 AS build
# The digest alone decides what is taken. This says whether it is of the version that its name tells.
RUN test "$(node --version)" = v26.10.0
WORKDIR /app
COPY package.json package-lock.json ./
# No package has to build anything: the database driver brings its binary, the image has Node.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# The image holds what the package brings: the packages that the bundle leaves outside, and no other.
RUN node scripts/pack.ts && npm prune --omit=dev --ignore-scripts
# A third of what is left is types, source maps and C sources, which no running program reads.
RUN find node_modules -type f \
      \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.map' -o -name '*.[ch]' \) -delete
RUN mkdir data

FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/config config
COPY --from=build /app/people/data people/data
COPY --from=build /app/service/data service/data
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Settings, database and CSV files: the one place that is written to.
COPY --from=build --chown=node:node /app/data /data
VOLUME ["/data"]
WORKDIR /data
ENV DONOR_SYNC_CONFIG=/data/donor-sync.yaml
USER node
EXPOSE 8787
# Ready means more than alive: the database can be written, and the schedules are looked at.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/readyz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
# Needs no init process in front: it handles SIGTERM itself, and starts no processes.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/src/main.js"]
# Inside a container loopback is reached by no caller. Beyond it, "serve" wants an access token first.
CMD ["serve", "--host", "0.0.0.0", "--port", "8787"]
