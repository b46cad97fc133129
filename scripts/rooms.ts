/**
 * Derives the rooms of the architecture from the imports. `test/architecture.test.ts` checks the rooms and draws them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** Modules that belong to a different room. The rooms are the database and `main`. */
const PART_OF = new Map([
  ['migrations', 'src/database'],
  ['src/process-memory', 'src/main'],
  ['src/wiring', 'src/main'],
  ['src/wired-deps', 'src/main'],
  ['src/node-version', 'src/main'],
]);

/**
 * The rooms on each floor, starting with the lowest floor. The floors are words and pure rules, sending, the database,
 * each topic's statements, the topics, users' operations, and the interfaces. A room imports only lower rooms and its
 * own files.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['src/core'],
  ['src/identity', 'src/mapping', 'src/outbound'],
  ['connectors', 'src/partner', 'src/database'],
  [
    ...[
      'src/contacts',
      'src/credits/statements',
      'src/fields/statements',
      'src/networks/statements',
    ],
    ...[
      'src/paths/statements',
      'src/sync/statements',
      'src/decisions/statements',
      'src/people/statements',
    ],
    ...[
      'src/clients/statements',
      'src/privacy/statements',
      'src/privacy/audit',
      'src/jobs/statements',
    ],
  ],
  [
    ...['src/store', 'src/application', 'src/settings', 'src/backup', 'src/clients', 'src/credits'],
    ...['src/decisions', 'src/fields', 'src/jobs', 'src/networks', 'src/paths', 'src/people'],
    ...['src/privacy', 'src/sync'],
  ],
  ['src/operations'],
  ['src/interfaces'],
  ['src/main'],
];

/**
 * Floors whose rooms can import each other. The reason is that one transaction often changes the data of two topics.
 */
export const OPEN_FLOORS: readonly number[] = [3, 4];

/**
 * Folders inside a topic that are a separate room. One example is a topic's statements, which do not import any topic.
 */
const STATEMENTS = /^src\/(?:\w+\/statements|privacy\/audit)(?=\/)/;

/** The parts outside the product, and the parts that each of them may import. */
export const BESIDE_THE_PRODUCT: Readonly<Record<string, readonly string[]>> = {
  people: [],
  testbed: ['people'],
  service: [],
  sandbox: ['people', 'testbed'],
  'sandbox/partner': ['people', 'testbed', 'service'],
};

export interface Import {
  from: string;
  to: string;
}

export const files = [
  'src',
  'connectors',
  'migrations',
  ...Object.keys(BESIDE_THE_PRODUCT).filter((room) => !room.includes('/')),
].flatMap(sourceFiles);
export const imports = files.flatMap(importsOf);

/**
 * For each drawing in ARCHITECTURE.md, the function that maps a file to its room. The function returns null for files
 * outside of the drawing.
 */
export const DRAWINGS: Readonly<Record<string, (file: string) => string | null>> = {
  'the whole': topOf,
  src: (file) => (isBeside(file) ? null : roomOf(file).replace('src/', '')),
  cli: (file) => insideOf('src/interfaces/cli', file),
};

/** Returns the current drawing in a document, from its marker to the end of the code block. */
export function drawingIn(document: string, name: string): string | undefined {
  return document.split(markerOf(name))[1]?.split('```')[0];
}

/** Returns the document with drawings that match the current imports. */
export function withDrawings(document: string): string {
  return Object.entries(DRAWINGS).reduce((text, [name, room]) => {
    const [before = '', after = ''] = text.split(markerOf(name));
    return before + markerOf(name) + draw(name, room) + after.slice(after.indexOf('```'));
  }, document);
}

function markerOf(name: string): string {
  return `<!-- drawn: ${name} -->\n\n\`\`\`text\n`;
}

/** `core` and `outbound` are below the product and the connectors. The other parts of `src` are above both. */
function topOf(file: string): string {
  const room = roomOf(file);
  const isGround = room === 'src/core' || room === 'src/outbound';
  return isGround || !room.startsWith('src/') ? room : 'src';
}

/** Returns the room inside a large room to which a file belongs. Returns null if there is none. */
function insideOf(room: string, file: string): string | null {
  const [inner, ...more] = file.slice(room.length + 1).split('/');
  return file.startsWith(`${room}/`) && more.length > 0 ? (inner ?? null) : null;
}

/**
 * Draws one line for each room, starting with the highest floor. The line contains the room's floor, name and imports.
 */
export function draw(drawing: string, room: (file: string) => string | null): string {
  const below = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = [room(from), room(to)];
    if (a !== null && !below.has(a)) below.set(a, new Set());
    if (a !== null && b !== null && a !== b) below.get(a)?.add(b);
    if (b !== null && !below.has(b)) below.set(b, new Set());
  }
  const floorOf = drawing === 'src' ? floorByRule : createFloors(below);
  const rooms = [...below.keys()]
    .map((name) => ({ name, floor: floorOf(name) }))
    .sort((one, other) => other.floor - one.floor || (one.name < other.name ? -1 : 1));
  const width = Math.max(...rooms.map(({ name }) => name.length));
  return rooms
    .map(({ name, floor }) => {
      const lower = [...(below.get(name) ?? [])].sort().join(' ');
      return `${String(floor).padStart(2)}  ${name.padEnd(width)}  ${lower && `→ ${lower}`}`.trimEnd();
    })
    .concat('')
    .join('\n');
}

/** Returns the floor of a room in `FLOORS`. Floors are counted from 1. */
function floorByRule(name: string): number {
  return 1 + FLOORS.findIndex((rooms) => rooms.includes(name) || rooms.includes(`src/${name}`));
}

/**
 * Returns each room's floor, which is one above the highest room that it imports. Throws an error if rooms import
 * each other in a cycle.
 */
function createFloors(below: ReadonlyMap<string, ReadonlySet<string>>): (name: string) => number {
  const floors = new Map<string, number>();
  const floorOf = (name: string, above: readonly string[]): number => {
    if (above.includes(name)) throw new Error(`A circle: ${[...above, name].join(' → ')}`);
    const known = floors.get(name);
    if (known !== undefined) return known;
    const lower = [...(below.get(name) ?? [])].map((each) => floorOf(each, [...above, name]));
    floors.set(name, 1 + Math.max(0, ...lower));
    return 1 + Math.max(0, ...lower);
  };
  return (name) => floorOf(name, []);
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('connectors/testing/'));
}

export function isBeside(file: string): boolean {
  return roomOf(file) in BESIDE_THE_PRODUCT;
}

/** The static imports, re-exports and dynamic imports in the repository's files. */
function importsOf(from: string): Import[] {
  const text = readFileSync(join(ROOT, from), 'utf8');
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*\.tsx?)'/g);
  return [...specifiers].map(([, specifier = '']) => ({
    from,
    to: normalize(join(dirname(from), specifier)),
  }));
}

/**
 * Returns the room of a file. For example, the folder `src/sync` and the file `src/sync.ts` belong to the room
 * `src/sync`. A topic's statements form a separate room.
 */
export function roomOf(file: string): string {
  const [statements] = STATEMENTS.exec(file) ?? [];
  if (statements !== undefined) return statements;
  const [top = '', second = ''] = file.split('/');
  if (`${top}/${second}` in BESIDE_THE_PRODUCT) return `${top}/${second}`;
  const room = top === 'src' ? `src/${second.replace(/\.tsx?$/, '')}` : top;
  return PART_OF.get(room) ?? room;
}
