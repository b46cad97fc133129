/**
 * Executes the Dockerfile without a container engine, and then runs the result. The script executes every build step
 * in an empty folder and starts the demo. It follows the first start in docs/guides/run-with-docker.md, runs the
 * health check, and sends the stop signal. The exit code is 0 if all of these steps succeed.
 *
 * Run `node scripts/replay-dockerfile.ts [--offline]`.
 *
 * With `--offline`, a copy of the checkout's modules replaces the registry for `npm ci`. The script cannot show that
 * the base image exists, or that it has the tools of this machine.
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
  // The image's user must be able to read the folder.
  await chmod(folder, 0o755);
  const image = await build();
  // The demo loads every connector, so missing files are noticed.
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

/** Puts settings and a token into the volume. Without a token, the program serves nothing beyond loopback. */
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
