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
 * The maximum number of settings in one file. Each group, list and value counts as a setting. An alias counts as much
 * as its target each time, because a small file with aliases can represent a huge file. 10,000 integrations that share
 * a field map through an alias have a million settings (docs/guides/settings.md).
 */
const MAX_SETTINGS = 1_500_000;

/** The values of a settings file, with the position and the origin of each value. */
export interface SettingsTree {
  value: unknown;
  /**
   * Returns the mark of the setting. If the file does not contain the setting, returns the mark of the nearest setting
   * above it.
   */
  getMark(path: SettingPath): NodeMark;
  /** Returns the setting at the path and all settings below it that contain at least one variable. */
  interpolatedIn(path: SettingPath): Interpolated[];
  /** YAML errors, and variables without a value. */
  problems: TreeProblem[];
  /** True if the values are usable. False if the YAML has severe errors. */
  readable: boolean;
}

export interface Interpolated {
  path: SettingPath;
  value: string;
}

export interface NodeMark {
  position: Position;
  /** The position at which the setting's key starts. */
  keyPosition: Position;
  /** The variables whose values are part of this setting's value. */
  variables: readonly string[];
  /** True if one of the variables has no value. Further problems of this setting would then be useless. */
  incomplete: boolean;
}

export interface TreeProblem {
  path: SettingPath;
  position: Position;
  message: string;
}

/** Reads the YAML of a settings file and inserts the values of environment variables. This function never throws. */
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

/** Returns the result for a file that exceeds a limit. The result contains only the position of the problem. */
function unreadTree(problem: TreeProblem): SettingsTree {
  const nothing = { value: null, interpolatedIn: () => [], readable: false };
  return { ...nothing, getMark: () => NO_MARK, problems: [problem] };
}

const START: Position = { line: 1, column: 1 };

function positionIn(lineCounter: LineCounter, offset: number): Position {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/**
 * Returns the first error in each line. After one mistake, the parser reports further errors for the rest of the line.
 */
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

/**
 * Returns a message for a YAML error. The parser's own messages can quote the file, which may contain a secret.
 * donor-sync's messages never quote the file.
 */
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

/** True for a line with a `${NAME}` inside { } or [ ]. */
function hasVariableInFlow(line: string): boolean {
  const start = line.search(/[{[]/);
  return start !== -1 && line.includes('${', start + 1);
}

const SECOND_DOCUMENT = 'one file holds one document; "---" starts a second one';

interface Reader extends Pick<SettingsTree, 'getMark' | 'interpolatedIn'> {
  read(contents: unknown): unknown;
  problems: TreeProblem[];
  /**
   * Returns the reason why the file was not read completely, or null if it was. If there is a reason, nothing that was
   * read may be used.
   */
  excess(): TreeProblem | null;
}

/** The marks of all settings, as a tree. Paths stored as strings would need more memory than everything else. */
interface MarkTree {
  mark: NodeMark;
  interpolated: Interpolated | null;
  /** The children, or null if there are none. Most settings are values and have no children. */
  children: Map<string, MarkTree> | null;
}

interface NodeContext {
  path: SettingPath;
  keyPosition: Position;
  /** The parent in the tree. The parent tree contains this mark under the mark's key. */
  parent: MarkTree;
}

function createReader(document: Document, lineCounter: LineCounter, env: Environment): Reader {
  const targets = aliasTargets(document);
  const root: MarkTree = { mark: NO_MARK, interpolated: null, children: null };
  const problems: TreeProblem[] = [];
  /** Maps whose keys have already been checked. A map that several aliases use is therefore reported only once. */
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

  /** Records the position of a setting. Returns the tree that receives the setting's children. */
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

  /** Counts the settings that have been read so far. Returns true above the limit. */
  function isTooMuch(path: SettingPath, position: Position, depth: number): boolean {
    settingsRead += 1;
    if (excess === null && settingsRead <= MAX_SETTINGS && depth <= MAX_DEPTH) return false;
    // From here on, donor-sync discards everything that it reads.
    excess ??= { path, position, message: describeTooLarge() };
    return true;
  }

  function read(node: unknown, place: NodeContext): unknown {
    const { path, keyPosition } = place;
    const position = isMap(node) || isSeq(node) || isScalar(node) ? getStart(node) : keyPosition;
    if (isTooMuch(path, position, path.length)) return null;
    if (isAlias(node)) {
      const target = targets.get(node);
      // An alias has its anchor's value. Problems are reported at the anchor.
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

  /** Reads a map's entries. `merges` is the number of merge keys so far. Merge keys do not make the path longer. */
  function readEntries(map: YAMLMap, place: NodeContext, merges: number): Map<string, unknown> {
    const { path, parent } = place;
    const entries = new Map<string, unknown>();
    complainOfDoubles(map);
    // `<<: *anchor` is handled first, so that the keys next to it override the anchor's keys.
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
const DOUBLE_KEY = 'this key is here twice';
const NO_TEXT_KEY = 'a key is a text; this one is a group or a list';

/** Formats the number only when a message needs it, because formatting the first number takes about 10 ms. */
function describeTooLarge(): string {
  return `the file is too large (more than ${MAX_SETTINGS.toLocaleString('en-US')} settings, with its aliases expanded) or one of its aliases contains itself: keep integrations in the database instead (donor-sync apply)`;
}

function toKey({ key }: Pair): string {
  // Without this rule, a nested key as a string would double in size with each level.
  if (isMap(key) || isSeq(key)) return '?';
  return String(isScalar(key) ? key.value : key);
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.value === '<<';
}

/** Returns the maps to merge. The first map has precedence, so it is merged last. */
function mergeSources(pair: Pair): unknown[] {
  return isSeq(pair.value) ? pair.value.items.toReversed() : [pair.value];
}
