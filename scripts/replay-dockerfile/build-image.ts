/** Executes a Dockerfile in folders. Each stage has its own folder, which represents its file system. */

import { chown, cp, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { createBaseImage, type User, userOf } from './base-image.ts';
import type { Command, Instruction, Stage } from './dockerfile.ts';
import { runToEnd } from './process.ts';

/** The time limit for a step. Even over a slow network, an installation takes less time. */
const STEP_TIMEOUT_MS = 600_000;

export interface BuildOptions {
  stages: readonly Stage[];
  /** The folder from which COPY without --from copies files. */
  context: string;
  /** An empty folder in which the build stages are created. */
  folder: string;
  /** Installs the modules without the registry, in the folder with package.json. Called in the place of `npm ci`. */
  installModules?: (workdir: string) => Promise<void>;
  /** Called after each executed instruction. */
  onStep(stage: string, text: string): void;
}

/**
 * The state of a build stage. The final state of the last stage is the image. Paths are absolute paths on this machine.
 */
export interface Image {
  /** The folder that is used as `/`. */
  root: string;
  workdir: string;
  /** The variables from ENV and from the base image. */
  variables: Record<string, string>;
  /** The user in the last USER instruction. Null if there was no USER instruction. */
  userName: string | null;
  entrypoint: string[];
  command: string[];
  health: { words: string[]; timeoutMs: number } | null;
  volumes: string[];
  ports: number[];
  stopSignal: string;
}

/** Builds all stages. The last stage is the image. Throws an error at the first instruction that fails. */
export async function buildImage(options: BuildOptions): Promise<Image> {
  const images = new Map<string, Image>();
  let last: Image | null = null;
  for (const [index, stage] of options.stages.entries()) {
    const name = stage.name ?? `stage-${index}`;
    last = await startStage(options.folder, name, stage.base);
    for (const instruction of stage.instructions) {
      await carryOut(options, images, last, instruction);
      options.onStep(name, instruction.text);
    }
    images.set(name, last);
  }
  if (last === null) throw new Error('There is no stage to build.');
  return last;
}

async function startStage(folder: string, name: string, base: string): Promise<Image> {
  const root = join(folder, name);
  const variables = await createBaseImage(root, base);
  return {
    ...{ root, workdir: root, variables, userName: null, health: null, stopSignal: 'SIGTERM' },
    ...{ entrypoint: [], command: [], volumes: [], ports: [] },
  };
}

async function carryOut(
  options: BuildOptions,
  images: ReadonlyMap<string, Image>,
  image: Image,
  instruction: Instruction,
): Promise<void> {
  switch (instruction.kind) {
    case 'WORKDIR':
      image.workdir = pathIn(image, instruction.value);
      await mkdir(image.workdir, { recursive: true });
      return;
    case 'COPY':
      return copyFiles(options.context, images, image, instruction);
    case 'RUN':
      return runStep(options, image, instruction.command);
    case 'ENV':
      for (const [name, value] of Object.entries(instruction.variables)) {
        image.variables[name] = movedWord(image, value);
      }
      return;
    case 'VOLUME':
      for (const volume of instruction.values) {
        image.volumes.push(pathIn(image, volume));
      }
      return;
    case 'EXPOSE':
      image.ports.push(...instruction.values.map(Number));
      return;
    case 'USER':
      image.userName = instruction.value;
      return;
    case 'STOPSIGNAL':
      image.stopSignal = instruction.value;
      return;
    case 'HEALTHCHECK':
      image.health = {
        words: movedWords(image, instruction.command),
        timeoutMs: instruction.timeoutMs,
      };
      return;
    case 'ENTRYPOINT':
      image.entrypoint = movedWords(image, instruction.command);
      return;
    case 'CMD':
      image.command = movedWords(image, instruction.command);
  }
}

/**
 * Copies files as Docker does. If the source is a folder, copies its content. If the target is a folder, copies into
 * it.
 */
async function copyFiles(
  context: string,
  images: ReadonlyMap<string, Image>,
  image: Image,
  { from, owner, sources, target }: Extract<Instruction, { kind: 'COPY' }>,
): Promise<void> {
  const source = from === null ? context : images.get(from)?.root;
  if (source === undefined) throw new Error(`There is no stage "${from}" to copy from.`);
  const isIntoFolder = target.endsWith('/');
  if (sources.length > 1 && !isIntoFolder) throw new Error(`${target} has to end with a slash.`);
  for (const path of sources.map((each) => join(source, each))) {
    const isFile = (await stat(path)).isFile();
    const place = pathIn(image, target);
    const destination = isFile && isIntoFolder ? join(place, basename(path)) : place;
    await cp(path, destination, { recursive: true, verbatimSymlinks: true });
    if (owner !== null) await changeOwner(destination, userOf(owner));
  }
}

function pathIn({ root, workdir }: Pick<Image, 'root' | 'workdir'>, path: string): string {
  return path.startsWith('/') ? join(root, path) : resolve(workdir, path);
}

async function runStep(options: BuildOptions, image: Image, command: Command): Promise<void> {
  if (image.userName !== null) throw new Error('The replay supports RUN only before USER.');
  const words = command.form === 'exec' ? command.words : ['/bin/sh', '-c', command.line];
  const line = words.at(-1) ?? '';
  if (options.installModules && /^npm ci( --\S+)*$/.test(line)) {
    return options.installModules(image.workdir);
  }
  // The replay cannot change paths in a shell command, so the shell would use files of this machine.
  if (/(^|[\s=])\/\w/.test(line)) throw new Error(`The replay cannot move the path in: ${line}`);
  const env = { ...buildVariables(), ...image.variables };
  await runToEnd(words, { cwd: image.workdir, env, timeoutMs: STEP_TIMEOUT_MS });
}

/** Returns the variables with which npm finds its registry and its cache on this machine. */
function buildVariables(): Record<string, string> {
  const names = ['HOME', 'HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function movedWords(image: Image, command: Command): string[] {
  if (command.form === 'shell') throw new Error(`Write it as a list of words: ${command.line}`);
  return command.words.map((word) => movedWord(image, word));
}

/**
 * Replaces the paths in a word, because a folder on this machine represents the image. An absolute path becomes a path
 * in that folder.
 */
function movedWord({ root }: Image, word: string): string {
  return word.startsWith('/') ? join(root, word) : word;
}

/** If the user is null, changes nothing. */
async function changeOwner(folder: string, user: User | null): Promise<void> {
  if (user === null) return;
  await chown(folder, user.uid, user.gid);
  const inside = await readdir(folder, { recursive: true });
  for (const name of inside) await chown(join(folder, name), user.uid, user.gid);
}
