/**
 * Starts the built image as a container engine does. The process runs as the image's user, and its environment contains
 * only the image's variables.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { userOf } from './base-image.ts';
import type { Image } from './build-image.ts';
import { type ProcessOptions, type Running, runToEnd, start } from './process.ts';

/** The maximum number of health checks, and the pause between two checks. */
const HEALTH_TRIES = 120;
const HEALTH_INTERVAL_MS = 250;

/** The time limit (ms) for a command that ends without a stop signal. */
const COMMAND_TIMEOUT_MS = 120_000;

/** The time (ms) between the stop signal and the kill, as in container engines. */
const STOP_TIMEOUT_MS = 10_000;

/** Runs the image's program. These arguments replace CMD. Returns its stdout. */
export function runCommand(image: Image, args: readonly string[]): Promise<string> {
  const words = [...image.entrypoint, ...args];
  return runToEnd(words, { ...processOptions(image), timeoutMs: COMMAND_TIMEOUT_MS });
}

/**
 * Starts the image, waits until its health check succeeds, and sends the stop signal. Then waits until the program has
 * ended. Throws an error if the program ends too early, never becomes healthy, or does not end with 0 in time.
 */
export async function runUntilHealthy(image: Image): Promise<void> {
  const { health } = image;
  if (health === null) throw new Error('The image has no HEALTHCHECK.');
  const atFreePort = await chooseAddress(image);
  const server = start(atFreePort([...image.entrypoint, ...image.command]), processOptions(image));
  try {
    await untilHealthy(server, image, atFreePort(health.words), health.timeoutMs);
    await stop(server, image.stopSignal);
  } finally {
    server.child.kill('SIGKILL');
    await server.ended.catch(() => undefined);
  }
}

function processOptions({ workdir, variables, userName }: Image): ProcessOptions {
  if (userName === null) throw new Error('Without USER, the image runs as root.');
  return { cwd: workdir, env: variables, user: userOf(userName) };
}

/**
 * Replaces the address and the port in commands. A real container has its own network address. On this machine, another
 * program may use the port. If the program listened on all addresses, other machines could reach it.
 */
async function chooseAddress({ ports }: Image): Promise<(words: readonly string[]) => string[]> {
  const free = String(await findFreePort());
  return (words) =>
    words.map((word) =>
      ports
        .reduce((text, port) => text.replaceAll(String(port), free), word)
        .replace(/^0\.0\.0\.0$/, '127.0.0.1'),
    );
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

async function untilHealthy(
  server: Running,
  image: Image,
  words: readonly string[],
  timeoutMs: number,
): Promise<void> {
  let complaint = '';
  for (let tries = 0; tries < HEALTH_TRIES; tries += 1) {
    if (server.hasEnded()) break;
    try {
      await runToEnd(words, { ...processOptions(image), timeoutMs });
      return;
    } catch (error) {
      complaint = String(error);
    }
    await sleep(HEALTH_INTERVAL_MS);
  }
  throw new Error(`It did not become healthy. ${complaint}\nIt wrote:\n${server.output()}`);
}

async function stop({ child, ended, output }: Running, signal: string): Promise<void> {
  process.kill(pidOf(child), signal);
  const waiting = new AbortController();
  const patience = sleep(STOP_TIMEOUT_MS, null, { signal: waiting.signal }).catch(() => null);
  const code = await Promise.race([ended, patience]);
  waiting.abort();
  if (code !== 0)
    throw new Error(`After ${signal} it ended with ${code ?? 'nothing'}:\n${output()}`);
}

function pidOf({ pid }: Running['child']): number {
  if (pid === undefined) throw new Error('It did not start.');
  return pid;
}
