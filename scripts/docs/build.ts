/** Builds the guide: its pages, its search index, and the list of its files. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import MiniSearch from 'minisearch';
import { z } from 'zod';
import { GUIDE, guideName } from '../../src/core/guide-address.ts';
import { CONTENTS, ERRORS_PAGE, type GuidePage, SETTINGS_PAGE } from './contents.ts';
import { writeErrorsPage } from './errors-page.ts';
import { hrefOf, renderFrame, renderSearch, renderStart, SEARCH } from './layout.ts';
import { anchorOf, isRow, type RenderedPage, renderMarkdown, type Section } from './markdown.ts';
import { writeSettingsPage } from './settings-page.ts';
import { SYNONYMS } from './synonyms.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The functions with which the search in the browser splits text into words and shortens them. The index must be built
 * with the same functions.
 */
const { splitWords, stem } = z
  .object({
    splitWords: z.custom<(text: string) => string[]>((value) => typeof value === 'function'),
    stem: z.custom<(word: string) => string>((value) => typeof value === 'function'),
  })
  .parse(await import(join(ROOT, 'src/interfaces/pages/assets/guide-search.js')));

export interface GuideFile {
  /** The file's address. */
  path: string;
  /** The file's name in the folder. */
  file: string;
  type: string;
}

interface Source {
  page: GuidePage;
  /** The path of the file's document in the repository. */
  path: string;
  text: string;
}

/** Empties a folder and writes the guide into it. Throws an error that lists every dead link. */
export async function buildGuide(folder: string): Promise<readonly GuideFile[]> {
  const generated = new Map([
    [ERRORS_PAGE, writeErrorsPage()],
    [SETTINGS_PAGE, await writeSettingsPage()],
  ]);
  const sources = CONTENTS.flatMap(({ pages }) => pages).map((page) => ({
    page,
    path: page.document,
    text: generated.get(page.document) ?? readFileSync(join(ROOT, page.document), 'utf8'),
  }));
  return writeGuide(renderAll(sources), folder);
}

interface Rendered {
  pages: readonly { page: GuidePage; rendered: RenderedPage }[];
  /** The images in the repository that the pages contain. */
  images: ReadonlySet<string>;
}

/** Renders all pages, and checks every link between them. */
export function renderAll(sources: readonly Source[]): Rendered {
  const images = new Set<string>();
  const links: { from: string; to: string }[] = [];
  const dead: string[] = [];
  const known = new Set(sources.map(({ path }) => path));
  const pages = sources.map(({ page, path, text }) => {
    const rendered = renderMarkdown(
      text,
      {
        link(href) {
          if (/^(https?|mailto):/.test(href)) return { href };
          const [file = '', anchor] = href.split('#');
          const target = file === '' ? path : normalize(join(dirname(path), file));
          if (!known.has(target)) {
            if (!existsSync(join(ROOT, target))) dead.push(`${path}: ${href}`);
            return { file: target };
          }
          const to = hrefOf({ document: target }) + (anchor === undefined ? '' : `#${anchor}`);
          links.push({ from: `${path}: ${href}`, to });
          return { href: file === '' ? `#${anchor}` : to };
        },
        image(src) {
          const image = normalize(join(dirname(path), src));
          if (!existsSync(join(ROOT, image))) dead.push(`${path}: ${src}`);
          images.add(image);
          return imageHref(image);
        },
      },
      page,
    );
    return { page, rendered };
  });
  const places = new Set(
    pages.flatMap(({ page, rendered }) => [
      hrefOf(page),
      ...[...rendered.anchors].map((anchor) => `${hrefOf(page)}#${anchor}`),
    ]),
  );
  dead.push(...links.filter(({ to }) => !places.has(to)).map(({ from }) => from));
  if (dead.length > 0) throw new Error(`The guide has dead links:\n${dead.join('\n')}`);
  return { pages, images };
}

function imageHref(image: string): string {
  return `${GUIDE}/images/${basename(image)}`;
}

const HTML = 'text/html; charset=utf-8';

function writeGuide({ pages, images }: Rendered, folder: string): GuideFile[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'images'), { recursive: true });
  const files: GuideFile[] = [];
  const places = listPlaces(pages);
  const index = JSON.stringify(createIndex(places));
  const fingerprint = createHash('sha256').update(index).digest('hex').slice(0, 12);
  const indexHref = `${GUIDE}/search.json?v=${fingerprint}`;
  add(`${GUIDE}/search.json`, 'search.json', 'application/json', index);
  add(
    GUIDE,
    'index.html',
    HTML,
    renderFrame({ title: 'Guide', indexHref, content: renderStart() }),
  );
  const search = renderFrame({ title: 'Search', indexHref, content: renderSearch(places) });
  add(SEARCH, 'search.html', HTML, search);
  for (const { page, rendered } of pages) {
    const { title, headings, html: content } = rendered;
    const text = renderFrame({ title, document: page.document, headings, indexHref, content });
    add(hrefOf(page), `${guideName(page.document)}.html`, HTML, text);
  }
  for (const image of images) {
    const bytes = readFileSync(join(ROOT, image));
    add(imageHref(image), `images/${basename(image)}`, 'image/webp', bytes);
  }
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify(files, null, 1)}\n`);
  return files;

  function add(path: string, file: string, type: string, content: string | Buffer): void {
    writeFileSync(join(folder, file), content);
    files.push({ path, file, type });
  }
}

/** A section that the search can find. */
interface Place {
  id: number;
  href: string;
  /** The name of the page that contains the section. */
  page: string;
  heading: string;
  text: string;
  weight: number;
  /** The codes and settings that the section explains, in lower case. */
  codes: string[];
}

function listPlaces(pages: Rendered['pages']): Place[] {
  const all = pages.flatMap(({ page, rendered }) =>
    rendered.sections
      .filter((section) => section.text !== '' || anchorOf(section) === '')
      .map((section) => toPlace(page, section)),
  );
  return all.map((place, id) => ({ id, ...place }));
}

function toPlace(page: GuidePage, section: Section): Omit<Place, 'id'> {
  const anchor = anchorOf(section);
  const isPage = anchor === '';
  const isCode = isRow(section) || page.document === ERRORS_PAGE;
  return {
    href: hrefOf(page) + (isPage ? '' : `#${anchor}`),
    page: page.name,
    heading: isPage ? page.name : section.heading,
    text: isPage ? `${page.about} ${section.text}` : section.text,
    weight: page.weight ?? 1,
    codes: isCode ? listCodes(section.heading) : [],
  };
}

/** Returns the codes, settings and variables in a section's heading. */
function listCodes(heading: string): string[] {
  const words = heading.toLowerCase().split(/[\s,]+/);
  return words.filter((word) => /^[\w.-]*[_.][\w.-]*$/.test(word) || !heading.includes(' '));
}

/** The maximum number of characters of a section that a search result can show. */
const SHOWN = 220;

const FIELDS = ['heading', 'text', 'page'];
const STORED = ['href', 'page', 'heading', 'shown', 'codes', 'weight'];

function createIndex(places: readonly Place[]) {
  const search = new MiniSearch({
    fields: FIELDS,
    storeFields: STORED,
    processTerm: stem,
    tokenize: splitWords,
  });
  search.addAll(places.map((place) => ({ ...place, shown: shorten(place.text) })));
  return { fields: FIELDS, stored: STORED, index: search, synonyms: SYNONYMS };
}

function shorten(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, text.lastIndexOf(' ', SHOWN))} …`;
}
