import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Environment } from './environment.ts';
import { interpolate } from './interpolation.ts';
import type { Position, SettingPath } from './problem.ts';

/** Aliases can make a small file mean a huge one: this many settings are enough for anybody. */
const MAX_SETTINGS = 100_000;

/** Deeper than any setting; an alias inside its own anchor would go on for ever. */
const MAX_DEPTH = 40;

/** A settings file as plain values that remember where they stand and where they come from. */
export interface SettingsTree {
  value: unknown;
  /** What is known of the setting, or of the nearest one above it that is in the file. */
  markOf(path: SettingPath): Mark;
  /** The settings that have at least one variable in them. */
  interpolated: { path: SettingPath; value: string }[];
  /** Broken YAML and variables that have no value. */
  problems: TreeProblem[];
  /** False if the YAML is so broken that the values mean nothing. */
  readable: boolean;
}

export interface Mark {
  /** Where the value begins. */
  position: Position;
  /** Where its key begins. */
  keyPosition: Position;
  /** The variables whose values are part of it. */
  variables: readonly string[];
  /** True if one of them has no value, which makes every other complaint pointless. */
  incomplete: boolean;
}

export interface TreeProblem {
  path: SettingPath;
  position: Position;
  message: string;
}

/** Reads the YAML of a settings file and puts the environment's values in. Throws nothing. */
export function readSettingsTree(text: string, env: Environment): SettingsTree {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const reader = createReader(document, lineCounter, env);
  const syntaxProblems = document.errors.map((error) => {
    const position = reader.positionOf(error.pos[0]);
    const line = text.split('\n')[position.line - 1] ?? '';
    return { path: [], position, message: syntaxMessage(error, line) };
  });
  const value = reader.read(document.contents, [], { line: 1, column: 1 });
  return {
    value,
    markOf: reader.markOf,
    interpolated: reader.interpolated,
    problems: [...firstOfEachLine(syntaxProblems), ...reader.problems],
    readable: document.errors.every((error) => error.code === 'DUPLICATE_KEY'),
  };
}

/** One mistake makes the parser stumble over the rest of the line as well. */
function firstOfEachLine(problems: readonly TreeProblem[]): TreeProblem[] {
  const lines = problems.map((problem) => problem.position.line);
  return problems.filter((problem, index) => lines.indexOf(problem.position.line) === index);
}

/** The parser's own words may quote the file, and with it a secret: these do not. */
function syntaxMessage(error: YAMLError, line: string): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return 'this key stands here twice';
    case 'BAD_INDENT':
      return 'the indentation does not fit the lines above';
    case 'TAB_AS_INDENT':
      return 'YAML is indented with spaces, not with tabs';
    case 'MISSING_CHAR':
      return 'a closing quote, bracket, comma or colon is missing';
    case 'BAD_SCALAR_START':
      return 'a text that starts with this character needs quotes';
    case 'BAD_DQ_ESCAPE':
      return 'a backslash in double quotes starts an escape; use single quotes or "\\\\"';
    case 'MULTILINE_IMPLICIT_KEY':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'this is not a key and a value; a text with ": " in it needs quotes';
    case 'MULTIPLE_DOCS':
      return 'one file holds one document; "---" starts a second one';
    default:
      return /[{[].*\$\{/.test(line)
        ? `this is not valid YAML; inside { } and [ ] a "\${NAME}" needs its quotes`
        : 'this is not valid YAML';
  }
}

interface Reader {
  read(node: unknown, path: SettingPath, keyPosition: Position): unknown;
  markOf(path: SettingPath): Mark;
  positionOf(offset: number): Position;
  interpolated: SettingsTree['interpolated'];
  problems: TreeProblem[];
}

function createReader(document: Document, lineCounter: LineCounter, env: Environment): Reader {
  const marks = new Map<string, Mark>();
  const interpolated: SettingsTree['interpolated'] = [];
  const problems: TreeProblem[] = [];
  let settingsRead = 0;

  function positionOf(offset: number): Position {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  function markOf(path: SettingPath): Mark {
    for (let length = path.length; length >= 0; length -= 1) {
      const mark = marks.get(markKey(path.slice(0, length)));
      if (mark !== undefined) return mark;
    }
    const position = { line: 1, column: 1 };
    return { position, keyPosition: position, variables: [], incomplete: false };
  }

  /** Counts what is read; too much of it becomes a problem, once. */
  function isTooMuch(path: SettingPath, position: Position, depth: number): boolean {
    settingsRead += 1;
    if (settingsRead <= MAX_SETTINGS && depth <= MAX_DEPTH) return false;
    // Whatever else is to be read comes to nothing from here on.
    settingsRead = MAX_SETTINGS;
    if (problems.every((problem) => problem.message !== TOO_LARGE)) {
      problems.push({ path, position, message: TOO_LARGE });
    }
    return true;
  }

  function read(node: unknown, path: SettingPath, keyPosition: Position): unknown {
    const position = isMap(node) || isSeq(node) || isScalar(node) ? startOf(node) : keyPosition;
    if (isTooMuch(path, position, path.length)) return null;
    if (isAlias(node)) return readAlias(node, path, keyPosition);
    marks.set(markKey(path), { position, keyPosition, variables: [], incomplete: false });
    if (isMap(node)) return Object.fromEntries(readEntries(node, path, 0));
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index], position));
    if (isScalar(node)) return readScalar(node.value, path, position, keyPosition);
    return null;
  }

  /** An alias stands for its anchor's value; its complaints point to the anchor. */
  function readAlias(
    node: { resolve(document: Document): unknown },
    path: SettingPath,
    at: Position,
  ) {
    const target = node.resolve(document);
    if (target !== undefined) return read(target, path, at);
    problems.push({ path, position: at, message: 'no anchor (&name) has the name of this alias' });
    return null;
  }

  /** `merges` counts the merge keys on the way here, which do not make the path longer. */
  function readEntries(map: YAMLMap, path: SettingPath, merges: number): Map<string, unknown> {
    const entries = new Map<string, unknown>();
    // `<<: *anchor` first, so that the keys beside it win.
    for (const source of map.items.filter(isMerge).flatMap(mergeSources)) {
      const target = isAlias(source) ? source.resolve(document) : source;
      if (!isMap(target) || isTooMuch(path, startOf(map), path.length + merges)) continue;
      for (const [key, value] of readEntries(target, path, merges + 1)) entries.set(key, value);
    }
    for (const pair of map.items.filter((item) => !isMerge(item))) {
      const key = keyOf(pair);
      const keyPosition = isScalar(pair.key) ? startOf(pair.key) : startOf(map);
      entries.set(key, read(pair.value, [...path, key], keyPosition));
    }
    return entries;
  }

  function readScalar(
    value: unknown,
    path: SettingPath,
    position: Position,
    keyPosition: Position,
  ): unknown {
    if (typeof value !== 'string') return value;
    const result = interpolate(value, env);
    const incomplete = result.problems.length > 0;
    marks.set(markKey(path), { position, keyPosition, variables: result.variables, incomplete });
    for (const message of result.problems) problems.push({ path, position, message });
    if (result.variables.length > 0) interpolated.push({ path, value: result.text });
    return result.text;
  }

  function startOf(node: {
    range?: readonly [number, number, number] | null | undefined;
  }): Position {
    return positionOf(node.range?.[0] ?? 0);
  }

  return { read, markOf, positionOf, interpolated, problems };
}

const TOO_LARGE = 'the file is too large or one of its aliases contains itself';

function markKey(path: SettingPath): string {
  return JSON.stringify(path.map(String));
}

function keyOf(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.value === '<<';
}

/** Of several maps the first wins, so it is merged last. */
function mergeSources(pair: Pair): unknown[] {
  return isSeq(pair.value) ? pair.value.items.toReversed() : [pair.value];
}
