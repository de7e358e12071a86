# Causeway as an image: one for all roles, which the command tells apart ("serve", "serve --only api", "serve --only relay",
# "migrate"). Nothing is compiled: Node runs the sources as they are. PostgreSQL is elsewhere (DATABASE_URL).

FROM node:24-slim AS dependencies
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY packages/server/package.json packages/server/
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
COPY packages/sdk/package.json packages/sdk/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/proof/package.json packages/proof/
COPY packages/tracing/package.json packages/tracing/
# Without what is optional: a Node of its own, and the embedded PostgreSQL.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-slim AS documentation
WORKDIR /app
COPY docs docs
COPY packages/server/openapi.json packages/server/
COPY scripts/build-docs.js scripts/
RUN node scripts/build-docs.js

FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages packages
COPY scripts/build-console.js scripts/
RUN npm ci --no-audit --no-fund && node scripts/build-console.js

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# All of it: what npm puts beside a package is part of it.
COPY --from=dependencies /app ./
COPY --from=documentation /app/docs/dist docs/dist
COPY --from=console /app/packages/console/dist packages/console/dist
COPY LICENSE ./
COPY packages/server/openapi.json packages/server/
COPY packages/server/src packages/server/src
COPY packages/cli/bin packages/cli/bin
COPY packages/cli/src packages/cli/src
COPY packages/sdk/src packages/sdk/src
COPY packages/embedded-postgres/src packages/embedded-postgres/src
COPY packages/sandbox/bin packages/sandbox/bin
COPY packages/sandbox/src packages/sandbox/src
COPY packages/tracing/src packages/tracing/src
# By number, so that an orchestrator can see that it is not root. Nothing in the image is theirs to write.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/causeway.js"]
CMD ["serve"]
