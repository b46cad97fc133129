/** Parses a Dockerfile. Supports the instructions that our Dockerfile uses, and throws an error for all others. */
import { z } from 'zod';

/** A command. It is a list of words, or a line for a shell. */
export type Command = { form: 'exec'; words: string[] } | { form: 'shell'; line: string };

/** An instruction. `text` is its source on one line. */
export type Instruction = { text: string } & (
  | { kind: 'WORKDIR' | 'USER' | 'STOPSIGNAL'; value: string }
  | { kind: 'COPY'; from: string | null; owner: string | null; sources: string[]; target: string }
  | { kind: 'RUN' | 'CMD' | 'ENTRYPOINT'; command: Command }
  | { kind: 'HEALTHCHECK'; command: Command; timeoutMs: number }
  | { kind: 'ENV'; variables: Record<string, string> }
  | { kind: 'VOLUME' | 'EXPOSE'; values: string[] }
);

/** A stage: its base image and its instructions. */
export interface Stage {
  /** The name after AS, or null if there is none. */
  name: string | null;
  base: string;
  instructions: Instruction[];
}

const wordsSchema = z.array(z.string());

/** Docker's default timeout for HEALTHCHECK. */
const DEFAULT_HEALTH_TIMEOUT_MS = 30_000;

/** Flags that decide when a health check runs. The replay ignores them, because it decides this itself. */
const HEALTH_FLAGS = ['interval', 'timeout', 'start-period', 'start-interval', 'retries'];

/** Throws an error at the first unknown instruction. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of logicalLines(text)) {
    const [keyword, rest] = splitOnce(line);
    if (keyword === 'FROM') {
      stages.push(parseFrom(rest));
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`Before the first FROM: ${line}`);
    stage.instructions.push({ text: line, ...parseInstruction(keyword, rest, line) });
  }
  if (stages.length === 0) throw new Error('The Dockerfile has no FROM.');
  return stages;
}

/** Returns the lines without comments. A backslash at the end of a line joins the line with the next line. */
function logicalLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function splitOnce(line: string): [string, string] {
  const [, first = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  return [first, rest];
}

function parseFrom(rest: string): Stage {
  const [, base, name = null] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
  if (base === undefined) throw new Error(`Not known: FROM ${rest}`);
  return { name, base, instructions: [] };
}

/**
 * An instruction without its source. The type is conditional, because `Omit` would combine the members of the union
 * into one type.
 */
type Parsed = Instruction extends infer Each
  ? Each extends Instruction
    ? Omit<Each, 'text'>
    : never
  : never;

function parseInstruction(kind: string, rest: string, line: string): Parsed {
  switch (kind) {
    case 'WORKDIR':
    case 'USER':
    case 'STOPSIGNAL':
      return { kind, value: rest };
    case 'COPY':
      return parseCopy(rest, line);
    case 'RUN':
    case 'CMD':
    case 'ENTRYPOINT':
      refuseFlags(rest, line);
      return { kind, command: parseCommand(rest) };
    case 'HEALTHCHECK':
      return parseHealthCheck(rest, line);
    case 'ENV':
      return { kind, variables: parseVariables(rest, line) };
    case 'VOLUME':
    case 'EXPOSE':
      return { kind, values: parseWords(rest) ?? rest.split(/\s+/) };
    default:
      throw new Error(`The replay does not support this instruction: ${line}`);
  }
}

function parseCopy(rest: string, line: string): Parsed {
  const { flags, rest: paths } = takeFlags(rest);
  const { from = null, chown: owner = null, ...others } = flags;
  const sources = paths.split(/\s+/);
  const target = sources.pop();
  const isKnown = Object.keys(others).length === 0 && !/^(\[|--)/.test(paths);
  if (!isKnown || target === undefined || sources.length === 0)
    throw new Error(`Not known: ${line}`);
  return { kind: 'COPY', from, owner, sources, target };
}

function parseHealthCheck(rest: string, line: string): Parsed {
  const { flags, rest: command } = takeFlags(rest);
  const [keyword, words] = splitOnce(command);
  const isKnown = Object.keys(flags).every((flag) => HEALTH_FLAGS.includes(flag));
  if (keyword !== 'CMD' || !isKnown) throw new Error(`Not known: ${line}`);
  const seconds = /^(\d+)s$/.exec(flags['timeout'] ?? '')?.[1];
  const timeoutMs = seconds === undefined ? DEFAULT_HEALTH_TIMEOUT_MS : Number(seconds) * 1_000;
  return { kind: 'HEALTHCHECK', command: parseCommand(words), timeoutMs };
}

/** Parses `NAME=value …`. Quoted values and the old form `NAME value` are not supported. */
function parseVariables(rest: string, line: string): Record<string, string> {
  const pairs = rest.split(/\s+/).map((pair) => /^(\w+)=([^"'\\$]*)$/.exec(pair));
  return Object.fromEntries(
    pairs.map((pair) => {
      if (pair === null) throw new Error(`Not known: ${line}`);
      return [pair[1], pair[2]];
    }),
  );
}

/** Returns the leading `--name=value` flags. */
function takeFlags(text: string): { flags: Record<string, string>; rest: string } {
  const flags: Record<string, string> = {};
  const rest = text.replace(/^(--[\w-]+=\S+\s+)+/, (found) => {
    for (const [, name = '', value = ''] of found.matchAll(/--([\w-]+)=(\S+)/g))
      flags[name] = value;
    return '';
  });
  return { flags, rest };
}

function refuseFlags(rest: string, line: string): void {
  if (rest.startsWith('--')) throw new Error(`Not known: ${line}`);
}

function parseCommand(text: string): Command {
  const words = parseWords(text);
  return words === null ? { form: 'shell', line: text } : { form: 'exec', words };
}

/** Returns the words of a JSON array, or null if the text is not a JSON array. */
function parseWords(text: string): string[] | null {
  return text.startsWith('[') ? wordsSchema.parse(JSON.parse(text)) : null;
}
