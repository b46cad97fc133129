/** Executes the Dockerfile. Checks that the replay finds mistakes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runToEnd } from '../../scripts/replay-dockerfile/process.ts';
import { runCommand, runUntilHealthy } from '../../scripts/replay-dockerfile/run-image.ts';
import { buildTinyImage, type Files, type TinyImage } from './tiny-image.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The test installs, builds and runs the whole product, on a machine that also does other work. */
const REPLAY_TIMEOUT_MS = 300_000;

describe('the image', () => {
  it('is built by every step of the Dockerfile, plays the demo, gets healthy and ends when asked to', {
    timeout: REPLAY_TIMEOUT_MS,
  }, async () => {
    const output = await runToEnd([process.execPath, 'scripts/replay-dockerfile.ts', '--offline'], {
      cwd: CHECKOUT,
      env: ownVariables(),
      timeoutMs: REPLAY_TIMEOUT_MS,
    });
    const dockerfile = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
    const steps = dockerfile.match(/^(RUN|COPY) .*[^\\\n]/gm) ?? [];
    expect(steps.length).toBeGreaterThan(10);
    for (const step of steps) expect(output).toContain(`: ${step.trim()}`);
    expect(output).toContain('It played the demo.');
    expect(output).toContain('It served, was healthy, and ended with 0.');
  });
});

describe('the replay', () => {
  let built: TinyImage | null = null;
  afterEach(closeIt);

  async function closeIt(): Promise<void> {
    await built?.close();
    built = null;
  }

  async function build(lines: readonly string[], files: Files = {}) {
    built = await buildTinyImage(lines, files);
    return built.image;
  }

  it('copies the content of a folder, and files into a folder', async () => {
    const image = await build(
      [
        'COPY a b.txt /from/',
        'RUN mkdir made',
        `FROM node:${process.versions.node}-slim`,
        'WORKDIR /to',
        'COPY --from=first /from copied',
        'COPY --from=first /from/one.txt ./',
        'USER node',
        'ENTRYPOINT ["node", "-p"]',
      ],
      { 'a/one.txt': '1', 'a/deep/two.txt': '2', 'b.txt': '3' },
    );
    const listed = await runCommand(image, [
      "fs.readdirSync('.', { recursive: true }).sort().join()",
    ]);
    expect(listed.trim()).toBe(
      'copied,copied/b.txt,copied/deep,copied/deep/two.txt,copied/one.txt,one.txt',
    );
  });

  it('gives programs the environment of the image, and nothing of ours', async () => {
    const image = await build([
      'ENV NAME=value SETTINGS=/data/settings.yaml',
      'USER node',
      'ENTRYPOINT ["node", "-p"]',
    ]);
    const printed = await runCommand(image, ['JSON.stringify(process.env)']);
    const names = Object.keys(JSON.parse(printed));
    expect(names.sort()).toEqual(['NAME', 'PATH', 'SETTINGS', 'TMPDIR']);
    expect(printed).toContain(`${image.root}/data/settings.yaml`);
  });

  it('fails at a step that fails', async () => {
    await expect(build(['RUN false'])).rejects.toThrow('ended with 1');
  });

  it('fails at a step that names a path of this machine', async () => {
    await expect(build(['RUN ls /etc'])).rejects.toThrow('cannot move the path');
  });

  it('fails at a file that is not there, and at a stage that is not there', async () => {
    await expect(build(['COPY missing ./'])).rejects.toThrow('missing');
    await expect(build(['COPY --from=other /a ./'])).rejects.toThrow('no stage "other"');
  });

  it('fails if the image is of another Node than the tests', async () => {
    await expect(build(['FROM node:18.0.0-slim'])).rejects.toThrow('node:18.0.0-slim');
  });

  it('fails if the image runs as root', async () => {
    const asRoot = await build(SERVER, { 'server.js': SERVER_FILE });
    await expect(runUntilHealthy(asRoot)).rejects.toThrow('as root');
    await closeIt();
    const byName = await build([...SERVER, 'USER root'], { 'server.js': SERVER_FILE });
    await expect(runUntilHealthy(byName)).rejects.toThrow('"root" is not an unprivileged user');
  });

  it('is content with a program that serves and ends with 0', async () => {
    const image = await build([...SERVER, 'USER node'], { 'server.js': SERVER_FILE });
    await expect(runUntilHealthy(image)).resolves.toBeUndefined();
  });

  it('fails if the program ends before it is healthy', async () => {
    const image = await build([...SERVER, 'USER node'], {
      'server.js': "console.log('Out of order'); process.exit(2)",
    });
    await expect(runUntilHealthy(image)).rejects.toThrow(/did not become healthy.*Out of order/s);
  });

  it('fails if the program does not end with 0 at the stop signal', async () => {
    const file = SERVER_FILE.replace('process.exit(0)', 'process.exit(7)');
    const image = await build([...SERVER, 'USER node'], { 'server.js': file });
    await expect(runUntilHealthy(image)).rejects.toThrow('After SIGTERM it ended with 7');
  });
});

const SERVER = [
  'COPY server.js ./',
  'EXPOSE 8123',
  'HEALTHCHECK CMD ["node", "-e", "fetch(\'http://127.0.0.1:8123\').then(() => process.exit())"]',
  'ENTRYPOINT ["node", "server.js"]',
  'CMD ["0.0.0.0", "8123"]',
];

const SERVER_FILE = `
  const [host, port] = process.argv.slice(2);
  process.on('SIGTERM', () => process.exit(0));
  require('node:http').createServer((_, answer) => answer.end()).listen(Number(port), host);
`;

/** Returns the environment variables with which the replay finds npm and its cache. */
function ownVariables(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
