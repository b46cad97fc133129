/** Checks the structure of the sources. Imports lead only to lower floors and never form a cycle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REMOTE_CRMS } from '../connectors/index.ts';
import { findForeignSql } from '../scripts/foreign-sql.ts';
import {
  BESIDE_THE_PRODUCT,
  DRAWINGS,
  draw,
  drawingIn,
  FLOORS,
  files,
  imports,
  isBeside,
  OPEN_FLOORS,
  ROOT,
  roomOf,
} from '../scripts/rooms.ts';
import { CATALOGUE } from '../src/database/tables/catalogue.ts';
import type { Table } from '../src/database/tables/table.ts';
import { CHANGES, READS, WORKS_WITH_ALL } from './foreign-tables.ts';

/**
 * Lists the inner rooms of each large room, in order from the lowest. Files outside of the inner rooms form the top
 * layer.
 */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/interfaces/cli': [['terminal'], ['action'], ['commands']],
  'sandbox/salesforce': [
    ['core'],
    ['metadata'],
    ['query'],
    ['records'],
    ['org'],
    ['oauth', 'requests'],
    ['bulk', 'control'],
    ['routes'],
    ['lightning'],
  ],
  'sandbox/bloomerang': [['core'], ['requests'], ['account'], ['control', 'routes']],
  'sandbox/hubspot': [
    ['core'],
    ['properties', 'requests'],
    ['records'],
    ['search'],
    ['account'],
    ['control', 'lists', 'oauth', 'routes'],
    ['webhooks'],
    ['record-page'],
  ],
};

const STATEMENTS_FLOOR = FLOORS.findIndex((rooms) => rooms.includes('src/contacts'));

/** The only files that may import the sandboxes. These files are the commands that start the sandboxes. */
const STARTS_SANDBOXES = /^src\/interfaces\/cli\/commands\/(demo|sandbox|service)\//;

/** Lists the files in `src/` that may name a CRM, with the reason for each file. */
const NAMES_A_CRM: Readonly<Record<string, string>> = {
  'src/clients/setup/known-exports.ts': 'the columns of files that these programs export',
  'src/core/codes/errors/crm.ts': 'the explanation of an error that only one CRM causes',
  'src/core/codes/errors/requests.ts': 'the address of a document',
  'src/core/codes/errors/setup.ts': 'the explanation of an error that only one CRM causes',
  'src/core/codes/errors/users.ts': 'the address of a document',
  'src/core/guide-address.ts': 'the address of a document',
  'src/interfaces/api/clients-api.ts': 'an example of a kind, in the description of the API',
  'src/interfaces/api/oauth.ts': 'an example of a kind, in the description of the API',
  'src/interfaces/api/webhooks/hooks-api.ts': 'examples of calls, in the description of the API',
  'src/interfaces/cli/commands/demo/crms.ts': 'the demo shows some CRMs and not all',
  'src/interfaces/cli/commands/hooks.ts': 'an example, in the help',
  'src/interfaces/cli/commands.ts':
    'the name of the command for the app, of which each CRM has its own form',
  'src/interfaces/cli/commands/hubspot.ts': "the app, whose form is the CRM's own",
  'src/interfaces/cli/commands/init/add.ts': 'an example, in the help',
  'src/interfaces/cli/commands/init/init.ts': 'examples, in the help',
  'src/settings/door-app.ts': 'the settings of the app, of which each installation has one',
  'src/settings/settings-schema.ts': 'the settings of the app, of which each installation has one',
  'src/settings/settings.ts': 'the settings of the app, of which each installation has one',
  'src/interfaces/cli/commands/users.ts': 'an example, in the help',
  'src/operations/client-shape.ts': 'an example of a kind, in the description of the API',
  'src/operations/clients.ts': 'an example of a kind, in the description of the API',
};

describe('the layered architecture', () => {
  it('finds the house at all', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('has a floor for every room', () => {
    const homeless = files.filter((file) => !isBeside(file) && floorOf(file) === -1);
    expect(homeless).toEqual([]);
  });

  it('has no import that goes up, or across to another room of the same floor unless that is open', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (isBeside(from) || isBeside(to) || roomOf(from) === roomOf(to)) return false;
      const [floor, other] = [floorOf(from), floorOf(to)];
      return other > floor || (other === floor && !OPEN_FLOORS.includes(floor));
    });
    expect(wrong).toEqual([]);
  });

  it('lets a connector know the contract and what connectors share, and no other connector', () => {
    // The code that connectors share must not name any CRM either.
    const ofCrms = files.flatMap((file) => /^connectors\/(\w+)\/about\.ts$/.exec(file)?.[1] ?? []);
    expect(ofCrms).toContain('salesforce');
    const own = [...ofCrms, 'testing'];
    const wrong = imports.filter(({ from, to }) => {
      const [folder, other] = [from, to].map((file) => /^connectors\/(\w+)\//.exec(file)?.[1]);
      return folder !== undefined && other !== undefined && folder !== other && own.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('names a CRM only in its connector, but for the places that are listed with a reason', () => {
    const names = REMOTE_CRMS.flatMap(({ kind, name }) => [kind, name.toLowerCase()]);
    expect(names).toContain('salesforce');
    const found = files.filter((file) => {
      if (!file.startsWith('src/')) return false;
      const code = codeOf(file).toLowerCase();
      return names.some((name) => code.includes(name));
    });
    expect(found.toSorted()).toEqual(Object.keys(NAMES_A_CRM).toSorted());
  });

  it('keeps product, service and stand-ins apart, or they would agree on the same mistake', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (room === other) return false;
      if (isBeside(from)) return !BESIDE_THE_PRODUCT[room]?.includes(other);
      return isBeside(to) && !STARTS_SANDBOXES.test(from);
    });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(INNER_FLOORS))('has no import that goes up inside %s', (room, floors) => {
    const floorInside = (file: string) => {
      const [inner = '', ...more] = file.slice(room.length + 1).split('/');
      const floor = floors.findIndex((rooms) => rooms.includes(inner));
      return { inner, floor: more.length === 0 ? floors.length : floor };
    };
    const wrong = imports.filter(({ from, to }) => {
      if (!isInside(from, room) || !to.startsWith(`${room}/`)) return false;
      const [a, b] = [floorInside(from), floorInside(to)];
      if (a.floor === -1) return true;
      return a.floor === floors.length ? false : a.inner !== b.inner && b.floor >= a.floor;
    });
    expect(wrong).toEqual([]);
  });

  it('knows the errors of connector packages by their brand, which other copies of the classes share', () => {
    const byClass = /instanceof (DonorSync|Configuration|Retriable|Skippable|Fatal)Error\b/;
    const above = files.filter((file) => /^src\/(?!partner|outbound)/.test(file));
    expect(above.filter((file) => byClass.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual(
      [],
    );
  });

  it('names database columns only in the statements and in the code below them', () => {
    // Checks a column only if its name is not also an ordinary word in the code.
    const columns = Object.values<Table>(CATALOGUE)
      .flatMap((table) => Object.keys(table.columns))
      .filter((column) => column.includes('_'));
    expect(columns.length).toBeGreaterThan(80);
    const isColumn = new RegExp(
      `(?<!['"\`.\\w])(${columns.join('|')})\\b(?!['"\`])|\\.(${columns.join('|')})\\b`,
    );
    const wrong = files.filter((file) => {
      const mayHoldRows =
        floorOf(file) === STATEMENTS_FLOOR ||
        ['src/database', 'src/backup', 'src/partner'].includes(roomOf(file));
      return !mayHoldRows && file.startsWith('src/') && isColumn.test(codeOf(file));
    });
    expect(wrong).toEqual([]);
  });

  it('has no SQL about a table of another topic, but for the places that are listed with a reason', () => {
    const found = findForeignSql().filter(({ topic }) => topic !== WORKS_WITH_ALL);
    for (const [does, listed] of Object.entries({ reads: READS, changes: CHANGES })) {
      const places = found.flatMap((each) =>
        each.does === does ? `${each.topic} ${does} ${each.table}` : [],
      );
      const expected = Object.entries(listed).flatMap(([topic, tables]) =>
        Object.keys(tables).map((table) => `${topic} ${does} ${table}`),
      );
      expect([...new Set(places)].toSorted()).toEqual(expected.toSorted());
    }
  });

  it('spreads no literal object into another: its properties are written one by one', () => {
    const wrong = files.filter(
      (file) => /^(src|connectors)\//.test(file) && /\.\.\.\{/.test(codeOf(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(findCircle()).toEqual([]);
  });
});

describe('the drawings of ARCHITECTURE.md', () => {
  const document = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

  it.each(Object.entries(DRAWINGS))('show %s as its imports are', (name, room) => {
    // If this fails, run `node scripts/draw-rooms.ts` to redraw the diagrams.
    expect(drawingIn(document, name)).toBe(draw(name, room));
  });
});

/** Returns a file's text without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** Returns true if a file is in the room's folder or belongs to the room. */
function isInside(file: string, room: string): boolean {
  return roomOf(file) === room || file.startsWith(`${room}/`);
}

function floorOf(file: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
}

/**
 * Returns the files of one import cycle, or an empty list. Type imports also count, because a file that needs a
 * different file's types depends on that file.
 */
function findCircle(): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  for (const file of files) {
    const circle = walk(file, []);
    if (circle.length > 0) return circle;
  }
  return [];

  function walk(file: string, path: string[]): string[] {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const { to } of targets.get(file) ?? []) {
      const circle = walk(to, [...path, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  }
}
