import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Environment } from './environment.ts';
import { aliasTargets, interpolate, MAX_DEPTH, parseYaml } from './interpolation.ts';
import type { Position, SettingPath } from './problem.ts';

/**
 * Settings of one file, each group, list and value counted, and what an alias stands for counted
 * each time: aliases can make a small file mean a huge one. 10,000 integrations that share a field map
 * by an alias have a million (docs/guides/settings.md).
 */
const MAX_SETTINGS = 1_500_000;

/** A settings file as plain values that remember where they stand and where they come from. */
export interface SettingsTree {
  value: unknown;
  /** What is known of the setting, or of the nearest one above it that is in the file. */
  getMark(path: SettingPath): NodeMark;
  /** The settings at the path and below it that have at least one variable in them. */
  interpolatedIn(path: SettingPath): Interpolated[];
  /** Broken YAML and variables that have no value. */
  problems: TreeProblem[];
  /** False if the YAML is so broken that the values mean nothing. */
  readable: boolean;
}

export interface Interpolated {
  path: SettingPath;
  value: string;
}

export interface NodeMark {
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
  const file = parseYaml(text, lineCounter);
  if (file.excess !== null) {
    const { offset, message } = file.excess;
    return unreadTree({ path: [], position: positionIn(lineCounter, offset), message });
  }
  const { document, secondDocumentAt } = file;
  const reader = createReader(document, lineCounter, env);
  const problems = syntaxProblems(text, lineCounter, document.errors);
  if (secondDocumentAt !== null) {
    const position = positionIn(lineCounter, secondDocumentAt);
    problems.push({ path: [], position, message: SECOND_DOCUMENT });
  }
  const value = reader.read(document.contents);
  const excess = reader.excess();
  if (excess !== null) return unreadTree(excess);
  return {
    value,
    getMark: reader.getMark,
    interpolatedIn: reader.interpolatedIn,
    problems: [...problems, ...reader.problems],
    readable: problems.length === 0,
  };
}

/** A file that goes beyond a limit: nothing is known of it but where. */
function unreadTree(problem: TreeProblem): SettingsTree {
  const nothing = { value: null, interpolatedIn: () => [], readable: false };
  return { ...nothing, getMark: () => NO_MARK, problems: [problem] };
}

const START: Position = { line: 1, column: 1 };

function positionIn(lineCounter: LineCounter, offset: number): Position {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The first of each line: one mistake makes the parser stumble over the rest of the line as well. */
function syntaxProblems(
  text: string,
  lineCounter: LineCounter,
  errors: readonly YAMLError[],
): TreeProblem[] {
  const lines = text.split('\n');
  const problems = new Map<number, TreeProblem>();
  for (const error of errors) {
    const position = positionIn(lineCounter, error.pos[0]);
    if (problems.has(position.line)) continue;
    const message = syntaxMessage(error, lines[position.line - 1] ?? '');
    problems.set(position.line, { path: [], position, message });
  }
  return [...problems.values()];
}

/** The parser's own words may quote the file, and with it a secret: these do not. */
function syntaxMessage(error: YAMLError, line: string): string {
  switch (error.code) {
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
    default:
      return hasVariableInFlow(line)
        ? `this is not valid YAML; inside { } and [ ] a "\${NAME}" needs its quotes`
        : 'this is not valid YAML';
  }
}

/** True of a line with a `${NAME}` inside of { } or [ ]. */
function hasVariableInFlow(line: string): boolean {
  const start = line.search(/[{[]/);
  return start !== -1 && line.includes('${', start + 1);
}

const SECOND_DOCUMENT = 'one file holds one document; "---" starts a second one';

interface Reader extends Pick<SettingsTree, 'getMark' | 'interpolatedIn'> {
  read(contents: unknown): unknown;
  problems: TreeProblem[];
  /** Why not all was read; nothing that was read counts then. */
  excess(): TreeProblem | null;
}

/** The marks of the settings as a tree of its own: a path as a text would cost more than the rest. */
interface MarkTree {
  mark: NodeMark;
  interpolated: Interpolated | null;
  /** Null until there is one: most settings are values. */
  children: Map<string, MarkTree> | null;
}

/** A place in the settings that is being read. */
interface NodeContext {
  path: SettingPath;
  keyPosition: Position;
  /** Below what its mark is put, under its key. */
  parent: MarkTree;
}

function createReader(document: Document, lineCounter: LineCounter, env: Environment): Reader {
  const targets = aliasTargets(document);
  const root: MarkTree = { mark: NO_MARK, interpolated: null, children: null };
  const problems: TreeProblem[] = [];
  /** Maps whose keys have been looked at: one that several aliases stand for complains once. */
  const checkedMaps = new Set<YAMLMap>();
  let settingsRead = 0;
  let excess: TreeProblem | null = null;

  function getMark(path: SettingPath): NodeMark {
    let found = root;
    for (const step of ['', ...path]) {
      const child = found.children?.get(String(step));
      if (child === undefined) break;
      found = child;
    }
    return found.mark;
  }

  function interpolatedIn(path: SettingPath): Interpolated[] {
    let found: MarkTree | undefined = root;
    for (const step of ['', ...path]) found = found?.children?.get(String(step));
    return found === undefined ? [] : interpolatedBelow(found);
  }

  /** Notes where a setting stands; returns what those in it are put below. */
  function note(
    { path, parent }: NodeContext,
    mark: NodeMark,
    interpolated: Interpolated | null,
  ): MarkTree {
    const noted: MarkTree = { mark, interpolated, children: null };
    parent.children ??= new Map();
    parent.children.set(String(path.at(-1) ?? ''), noted);
    return noted;
  }

  /** Counts what is read, up to the limit. */
  function isTooMuch(path: SettingPath, position: Position, depth: number): boolean {
    settingsRead += 1;
    if (excess === null && settingsRead <= MAX_SETTINGS && depth <= MAX_DEPTH) return false;
    // Whatever else is to be read comes to nothing from here on.
    excess ??= { path, position, message: TOO_LARGE };
    return true;
  }

  function read(node: unknown, place: NodeContext): unknown {
    const { path, keyPosition } = place;
    const position = isMap(node) || isSeq(node) || isScalar(node) ? getStart(node) : keyPosition;
    if (isTooMuch(path, position, path.length)) return null;
    if (isAlias(node)) {
      const target = targets.get(node);
      // It stands for its anchor's value; its complaints point to the anchor.
      if (target !== undefined) return read(target, place);
      problems.push({ path, position: keyPosition, message: UNKNOWN_ANCHOR });
      return null;
    }
    if (isScalar(node)) return readScalar(node.value, place, position);
    const mark = { position, keyPosition, variables: [], incomplete: false };
    const parent = note(place, mark, null);
    if (isMap(node)) return Object.fromEntries(readEntries(node, { ...place, parent }, 0));
    if (!isSeq(node)) return null;
    return node.items.map((item, index) =>
      read(item, { path: [...path, index], keyPosition: position, parent }),
    );
  }

  /** `merges` counts the merge keys on the way here, which do not make the path longer. */
  function readEntries(map: YAMLMap, place: NodeContext, merges: number): Map<string, unknown> {
    const { path, parent } = place;
    const entries = new Map<string, unknown>();
    complainOfDoubles(map);
    // `<<: *anchor` first, so that the keys beside it win.
    for (const source of map.items.filter(isMerge).flatMap(mergeSources)) {
      const target = isAlias(source) ? targets.get(source) : source;
      if (!isMap(target) || isTooMuch(path, getStart(map), path.length + merges)) continue;
      for (const [key, value] of readEntries(target, place, merges + 1)) entries.set(key, value);
    }
    for (const pair of map.items.filter((item) => !isMerge(item))) {
      const key = toKey(pair);
      const keyPosition = getKeyPosition(map, pair);
      entries.set(key, read(pair.value, { path: [...path, key], keyPosition, parent }));
    }
    return entries;
  }

  function complainOfDoubles(map: YAMLMap): void {
    if (checkedMaps.has(map)) return;
    checkedMaps.add(map);
    const keys = new Set<string>();
    for (const pair of map.items) {
      const key = toKey(pair);
      const position = getKeyPosition(map, pair);
      if (isMap(pair.key) || isSeq(pair.key))
        problems.push({ path: [], position: getStart(pair.key), message: NO_TEXT_KEY });
      else if (keys.has(key)) problems.push({ path: [], position, message: DOUBLE_KEY });
      keys.add(key);
    }
  }

  function readScalar(value: unknown, place: NodeContext, position: Position): unknown {
    const { path, keyPosition } = place;
    const result = typeof value === 'string' ? interpolate(value, env) : null;
    const { variables = [], problems: faults = [] } = result ?? {};
    const interpolated = variables.length > 0 && result ? { path, value: result.text } : null;
    const mark = { position, keyPosition, variables, incomplete: faults.length > 0 };
    note(place, mark, interpolated);
    for (const message of faults) problems.push({ path, position, message });
    return result === null ? value : result.text;
  }

  function getKeyPosition(map: YAMLMap, { key }: Pair): Position {
    return isScalar(key) ? getStart(key) : getStart(map);
  }

  function getStart(node: {
    range?: readonly [number, number, number] | null | undefined;
  }): Position {
    return positionIn(lineCounter, node.range?.[0] ?? 0);
  }

  return {
    read: (contents) => read(contents, { path: [], keyPosition: START, parent: root }),
    getMark,
    interpolatedIn,
    problems,
    excess: () => excess,
  };
}

function interpolatedBelow({ interpolated, children }: MarkTree): Interpolated[] {
  const below = [...(children?.values() ?? [])].flatMap(interpolatedBelow);
  return interpolated === null ? below : [interpolated, ...below];
}

const NO_MARK: NodeMark = { position: START, keyPosition: START, variables: [], incomplete: false };

const UNKNOWN_ANCHOR = 'no anchor (&name) has the name of this alias';
const DOUBLE_KEY = 'this key stands here twice';
const NO_TEXT_KEY = 'a key is a text; this one is a group or a list';
const TOO_LARGE = `the file is too large (more than ${MAX_SETTINGS.toLocaleString('en-US')} settings, with what each alias stands for) or one of its aliases contains itself: keep integrations in the database instead (donor-sync apply)`;

function toKey({ key }: Pair): string {
  // As a text, a key within a key within a key takes twice the room of each that is in it.
  if (isMap(key) || isSeq(key)) return '?';
  return String(isScalar(key) ? key.value : key);
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.value === '<<';
}

/** Of several maps the first wins, so it is merged last. */
function mergeSources(pair: Pair): unknown[] {
  return isSeq(pair.value) ? pair.value.items.toReversed() : [pair.value];
}
