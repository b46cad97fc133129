/**
 * Executes the Dockerfile without a container engine, and then runs the result. The script executes each build step in
 * an empty folder and starts the demo. It then makes the first start as in docs/guides/run-with-docker.md, runs the
 * health check, and sends the stop signal. The exit code is 0 if all of these steps succeed.
 *
 * Run `node scripts/replay-dockerfile.ts [--offline]`.
 *
 * With `--offline`, the script copies the modules of the checkout and does not run `npm ci`. The script cannot check
 * that the base image exists or that it contains the same tools as this machine.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyBuildContext } from './replay-dockerfile/build-context.ts';
import { buildImage, type Image } from './replay-dockerfile/build-image.ts';
import { parseDockerfile } from './replay-dockerfile/dockerfile.ts';
import { bringInstalledModules } from './replay-dockerfile/installed-modules.ts';
import { runCommand, runUntilHealthy } from './replay-dockerfile/run-image.ts';

const CHECKOUT = join(import.meta.dirname, '..');

const { values: flags } = parseArgs({ options: { offline: { type: 'boolean', default: false } } });
const folder = await mkdtemp(join(tmpdir(), 'donor-sync-image-'));
try {
  // The user of the image must be able to read the folder.
  await chmod(folder, 0o755);
  const image = await build();
  // The demo loads all connectors, so it fails if a file is missing.
  await runCommand(image, ['demo', '--once']);
  say('It played the demo.');
  await prepareFirstStart(image);
  await runUntilHealthy(image);
  say('It served, was healthy, and ended with 0.');
} finally {
  await rm(folder, { recursive: true });
}

async function build(): Promise<Image> {
  const context = join(folder, 'context');
  await mkdir(context);
  await copyBuildContext(CHECKOUT, context);
  return buildImage({
    stages: parseDockerfile(await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8')),
    context,
    folder,
    ...(flags.offline ? { installModules: (to) => bringInstalledModules(CHECKOUT, to) } : {}),
    onStep: (stage, text) => say(`${stage}: ${text}`),
  });
}

/** Writes settings and a token to the volume. Without a token, the program listens only on the loopback address. */
async function prepareFirstStart(image: Image): Promise<void> {
  const [volume] = image.volumes;
  if (volume === undefined) throw new Error('The image has no VOLUME for the settings.');
  await writeFile(
    join(volume, 'donor-sync.yaml'),
    'database: "sqlite:donor-sync.db"\nintegrations: []\n',
  );
  await runCommand(image, ['tokens', 'create', '--role', 'admin', '--name', 'replay']);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
