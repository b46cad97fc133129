/** Checks that each file, command and setting in the documents exists. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SHOTS } from '../../scripts/screenshots.ts';
import { COMMANDS } from '../../src/interfaces/cli/commands.ts';
import { ROUTES } from '../interfaces/api/route-table.ts';

const ROOT = join(import.meta.dirname, '../..');

const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('connectors', /\.md$/),
  ...filesBelow('deploy', /\.md$/),
];

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) });

describe('the documents', () => {
  it('have links that lead somewhere', () => {
    const links = documents.flatMap((document) =>
      linksOf(document).map((link) => ({ document, link })),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ document, link }) => !leadsSomewhere(document, link))).toEqual([]);
  });

  it('name commands that exist', () => {
    const known = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
    const named = documents.flatMap((document) =>
      commandsIn(document).map((name) => ({ document, name })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  it('name npm scripts that exist', () => {
    const { scripts } = manifestSchema.parse(JSON.parse(read('package.json')));
    const named = documents.flatMap((document) =>
      scriptsIn(document).map((name) => ({ document, name })),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
  });

  it('have every command in the table of all commands', () => {
    const table = read('docs/guides/commands.md').match(/^\| Command \|.*/ms)?.[0] ?? '';
    expect(COMMANDS.filter(({ name }) => !table.includes(`\`${name}`))).toEqual([]);
  });

  it('have every guide on one of the three paths', () => {
    const paths = read('docs/README.md');
    const guides = filesBelow('docs/guides', /\.md$/);
    expect(guides.length).toBeGreaterThan(10);
    expect(guides.filter((guide) => !paths.includes(relative('docs', guide)))).toEqual([]);
  });

  it('have every variable of the product in the table of the environment, and no other', () => {
    const table = read('docs/guides/environment.md');
    const sources = ['src', 'connectors'].flatMap((folder) => filesBelow(folder, /\.tsx?$/));
    expect(variablesIn(sources.map(read).join('\n'))).toEqual(variablesIn(table));
  });
});

describe('the pictures of the documents', () => {
  const taken = SHOTS.flatMap(({ name, isDark }) =>
    [name, ...(isDark ? [`${name}-dark`] : [])].map((image) => `docs/images/${image}.webp`),
  );

  it('are all that `npm run screenshots` takes, and no other', () => {
    expect(filesBelow('docs/images', /./).sort()).toEqual([...taken].sort());
  });

  it('are there where a document names one, and each is named', () => {
    const named = documents.flatMap(imagesOf);
    expect(named.filter((image) => !existsSync(join(ROOT, image)))).toEqual([]);
    expect(taken.filter((image) => !named.includes(image))).toEqual([]);
  });

  it('show pages that exist', () => {
    const pages = Object.keys(ROUTES).filter((route) => ROUTES[route]?.isPage);
    const patterns = pages.map(
      (route) => new RegExp(`^${route.replace('GET ', '').replace(/:\w+/g, '[^/]+')}$`),
    );
    const tour = { run: '/runs/some', decision: '/decisions/some' };
    const nowhere = SHOTS.map(({ path }) =>
      path({ url: '', contacts: '', service: '', key: '', ...tour }),
    ).filter((path) => !patterns.some((pattern) => pattern.test(path)));
    expect(nowhere).toEqual([]);
  });

  it('are at most twelve of 60 kB', () => {
    expect(taken.length).toBeLessThanOrEqual(12);
    const sizes = taken.map((image) => ({ image, bytes: statSync(join(ROOT, image)).size }));
    expect(sizes.filter(({ bytes }) => bytes > 60_000)).toEqual([]);
  });
});

/** Returns the images in a document, as paths from the root. */
function imagesOf(document: string): string[] {
  const found = read(document).matchAll(/!\[[^\]]*\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g);
  return [...found].map(([, mark, attribute]) => join(dirname(document), mark ?? attribute ?? ''));
}

function filesBelow(folder: string, name: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Returns the links to other files and to headings. Excludes links to the web. */
function linksOf(document: string): string[] {
  const links = read(document).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, link = '']) => link).filter((link) => !/^(https?|mailto):/.test(link));
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, target))) return false;
  return heading === undefined || headingsOf(target).includes(heading);
}

/** Returns a document's headings in the form that links use. */
function headingsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the words after `donor-sync` in all shown code. A guide can use a substitute for `donor-sync`. */
function commandsIn(document: string): string[] {
  const text = read(document);
  const code = [...text.matchAll(/^```sh\n(.*?)^```$|`([^`\n]+)`/gms)].map(
    ([, block, span]) => block ?? span,
  );
  const commands = code
    .join('\n')
    .matchAll(/^ *(?:docker compose run --rm donor-sync|donor-sync|as_service) ([a-z][a-z-]*)/gm);
  return [...commands].map(([, name = '']) => name);
}

function scriptsIn(document: string): string[] {
  const named = read(document).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g);
  return [...named].map(([, name = '']) => name);
}

/** Returns the names of the variables in a string, sorted and without duplicates. */
function variablesIn(text: string): string[] {
  const names = text.match(/\bDONOR_SYNC_[A-Z_]+\b|\bNO_COLOR\b/g) ?? [];
  return [...new Set(names)].sort();
}
