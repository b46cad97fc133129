/**
 * Prints how much code a reader has to read in src, connectors and migrations. Run `node scripts/shape.ts`. TypeScript
 * 7 has no stable interface for parsing a file, so the script reads lines. The formatter indents the end of a function
 * like its start, so the script can find both.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { files as allFiles, imports as allImports, isBeside, ROOT, roomOf } from './rooms.ts';

const MOST = 10;
/**
 * The limits above which the script reports a value. They are only hints. We do not split or merge code only to meet
 * them.
 */
const LONG_FUNCTION = 60;
const LONG_CHAIN = 20;
const LARGE_FOLDER = { files: 25, lines: 4_000 };

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;
const TAKEN = /^(?:import|export) (?:type )?(\{[^}]*\}|\*)[^;']*from '(\.[^']*)'/gm;
const FUNCTION =
  /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\*? ?(\w+)|const (\w+) = (?:async )?\(|(?:async )?\*?(\w+)(?:<[^>]*>)?\()/;
const NO_FUNCTION = /^\s*(?:if|for|while|switch|catch|return|await|super)\b/;

const files = allFiles.filter((file) => !isBeside(file));
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const imports = allImports.filter(({ from, to }) => texts.has(from) && texts.has(to));

process.stdout.write(`${report().join('\n')}\n`);

function report(): string[] {
  const users = usersOfExports();
  const usedBy = (count: number) => [...users.values()].filter((all) => all.size === count).length;
  const chains = chainsByLength();
  const [chain = []] = chains;
  const folders = foldersBySize();
  const functions = functionsBySize();
  const ofSrc = files.filter(isOfSrc);
  return [
    '| What | How much |',
    '| --- | --- |',
    row('files', files.length),
    row('lines', sum(files.map(countLines))),
    row('folders', folders.length),
    row('longest import chain, including types', chain.length),
    row('exported names', users.size),
    row('… used by exactly one other file', usedBy(1)),
    row('… used by no other file', usedBy(0)),
    row('rooms of src', new Set(ofSrc.map(roomOf)).size),
    row('arrows between rooms of src', countArrows()),
    row(
      `functions above ${LONG_FUNCTION} lines`,
      functions.filter(({ lines }) => lines > LONG_FUNCTION).length,
    ),
    row(
      `folders above ${LARGE_FOLDER.files} files or ${inWords(LARGE_FOLDER.lines)} lines`,
      folders.filter(isLarge).length,
    ),
    row(
      `files with an import chain above ${LONG_CHAIN}`,
      chains.filter(({ length }) => length > LONG_CHAIN).length,
    ),
    '',
    'The chain, from its start to its end:',
    '',
    ...['```text', ...chain, '```'],
    '',
    '| Longest chain of a room, from the file where it starts | Files |',
    '| --- | --- |',
    ...longestOfRooms(chains)
      .slice(0, MOST)
      .map((each) => row(`\`${each[0]}\``, each.length)),
    '',
    '| Largest functions, without those of JSX | Lines |',
    '| --- | --- |',
    ...functions
      .slice(0, MOST)
      .map(({ name, file, lines }) => row(`\`${name}\`, \`${file}\``, lines)),
    '',
    '| Largest folders, without those in them | Files | Lines |',
    '| --- | --- | --- |',
    ...folders
      .slice(0, MOST)
      .map(({ folder, count, lines }) => `| \`${folder}\` | ${count} | ${inWords(lines)} |`),
    '',
    '| Base names of more than three files | Files |',
    '| --- | --- |',
    ...frequentNames().map(([name, count]) => row(`\`${name}\``, count)),
  ];
}

function row(what: string, count: number): string {
  return `| ${what} | ${inWords(count)} |`;
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}

function textOf(file: string): string {
  return texts.get(file) ?? '';
}

function countLines(file: string): number {
  return textOf(file).split('\n').length - 1;
}

/**
 * Returns the longest chain of imports from each file. A change in the last file of a chain can break the first file.
 */
function chainsByLength(): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const found = new Map<string, string[]>();
  return files.map(chainFrom).sort((one, other) => other.length - one.length);

  function chainFrom(file: string): string[] {
    const known = found.get(file);
    if (known !== undefined) return known;
    const below = (targets.get(file) ?? []).map(({ to }) => chainFrom(to));
    const chain = [file, ...longest(below)];
    found.set(file, chain);
    return chain;
  }
}

function longestOfRooms(chains: readonly string[][]): string[][] {
  const seen = new Set<string>();
  return chains.filter(([start = '']) => {
    const room = roomOf(start);
    return !seen.has(room) && seen.add(room);
  });
}

function longest(chains: readonly string[][]): string[] {
  return chains.reduce((one, other) => (other.length > one.length ? other : one), []);
}

/** Returns the other files that import or re-export each exported name. `*` means all names of a file. */
function usersOfExports(): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  const namesIn = new Map<string, string[]>();
  for (const file of files) {
    const names = [...textOf(file).matchAll(EXPORTED)].map(([, name = '']) => name);
    namesIn.set(file, names);
    for (const name of names) users.set(`${file}#${name}`, new Set());
  }
  for (const file of files) {
    for (const [, names = '', specifier = ''] of textOf(file).matchAll(TAKEN)) {
      const target = normalize(join(dirname(file), specifier));
      const taken =
        names === '*' ? namesIn.get(target) : names.slice(1, -1).split(',').map(ownName);
      for (const name of taken ?? []) users.get(`${target}#${name}`)?.add(file);
    }
  }
  return users;
}

/** Returns the original name. For example, `type Store as Books` imports `Store`. */
function ownName(element: string): string {
  return (
    element
      .trim()
      .replace(/^type /, '')
      .split(' as ')[0] ?? ''
  );
}

function isOfSrc(file: string): boolean {
  return roomOf(file).startsWith('src/');
}

function countArrows(): number {
  const between = imports.filter(({ from, to }) => isOfSrc(from) && isOfSrc(to));
  const arrows = between.filter(({ from, to }) => roomOf(from) !== roomOf(to));
  return new Set(arrows.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`)).size;
}

/**
 * Returns named functions and methods, from their first line to the closing brace, including the functions inside them.
 */
function functionsBySize(): { name: string; file: string; lines: number }[] {
  return files
    .filter((file) => !file.endsWith('.tsx'))
    .flatMap((file) => {
      const lines = textOf(file).split('\n');
      return lines.flatMap((line, at) => {
        const [, indent = '', ...names] = FUNCTION.exec(line) ?? [];
        const name = names.find((each) => each !== undefined);
        if (name === undefined || NO_FUNCTION.test(line)) return [];
        const length = lengthOf(lines.slice(at), indent);
        return length === null ? [] : [{ name, file, lines: length }];
      });
    })
    .sort((one, other) => other.lines - one.lines);
}

/** Returns the number of lines of a function. Returns null for a call and for a function with a single expression. */
function lengthOf(lines: readonly string[], indent: string): number | null {
  const rest = lines.slice(1);
  const end = rest.findIndex(
    (line) => line.startsWith(indent) && /^[^\s]/.test(line.slice(indent.length)),
  );
  // If the head of a function has several lines, it ends with the closing bracket. The body starts on the same line.
  const isHead = end !== -1 && /^\).*\{$/.test(rest[end]?.slice(indent.length) ?? '');
  const [from, opening] = isHead ? [end + 1, rest[end]] : [0, lines[0]];
  if (!opening?.endsWith('{')) return null;
  const body = rest.slice(from);
  const close = body.findIndex(
    (line) => /^\}[,;)]*$/.test(line.slice(indent.length)) && line.startsWith(indent),
  );
  return close === -1 ? null : from + close + 2;
}

function isLarge({ count, lines }: { count: number; lines: number }): boolean {
  return count > LARGE_FOLDER.files || lines > LARGE_FOLDER.lines;
}

function foldersBySize(): { folder: string; count: number; lines: number }[] {
  return [...Map.groupBy(files, (file) => dirname(file))]
    .map(([folder, inside]) => ({
      folder,
      count: inside.length,
      lines: sum(inside.map(countLines)),
    }))
    .sort((one, other) => other.lines - one.lines);
}

function frequentNames(): [name: string, count: number][] {
  return [...Map.groupBy(files, (file) => basename(file))]
    .map(([name, all]): [string, number] => [name, all.length])
    .filter(([, count]) => count > 3)
    .sort((one, other) => other[1] - one[1]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
