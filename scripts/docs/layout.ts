/**
 * Renders the parts that all pages of the guide have in common. A page contains no inline scripts or styles, because
 * the content security policy forbids them.
 */
import { html, raw } from 'hono/html';
import { GUIDE, guideName } from '../../src/core/guide-address.ts';
import { assetHref } from '../../src/interfaces/pages/assets.ts';
import { CONTENTS, type GuidePage } from './contents.ts';
import type { Heading } from './markdown.ts';

export const SEARCH = `${GUIDE}/search`;

interface Frame {
  title: string;
  /** The page's document. Omitted for the start page and the search page. */
  document?: string;
  headings?: readonly Heading[];
  /** The address of the search index. It changes when the index changes. */
  indexHref: string;
  /** Trusted HTML. */
  content: string;
}

/**
 * The maximum number of headings in a table of contents. If a page has more headings, the table lists only the
 * top-level sections.
 */
const MAX_LISTED = 60;

/** Returns a whole page. */
export function renderFrame({ title, document, headings = [], indexHref, content }: Frame): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  // A list of all headings would be longer than the page itself.
  const toc = listed.length > MAX_LISTED ? listed.filter(({ depth }) => depth === 2) : listed;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Guide' ? 'Guide' : `${title} · Guide`} · donor-sync</title>
<link rel="icon" href="${assetHref('icon')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetHref('styles')}">
<link rel="stylesheet" href="${assetHref('guideStyles')}">
<script type="module" src="${assetHref('guideScript')}"></script>
</head>
<body class="guide">
<a class="skip" href="#main">Skip to the content</a>
<header class="top guide-top">
<a class="brand" href="${GUIDE}"><img src="${assetHref('icon')}" alt="" width="28" height="28">donor-sync <span class="guide-word">Guide</span></a>
<search class="guide-search">
<form action="${SEARCH}" method="get" id="search" data-index="${indexHref}" data-code="${assetHref('guideSearch')}" data-engine="${assetHref('minisearch')}">
<label class="hidden" for="search-words">Search the guide</label>
<input type="search" id="search-words" name="q" placeholder="Search, or paste an error" autocomplete="off" spellcheck="false">
<kbd class="guide-key" aria-hidden="true">/</kbd>
</form>
</search>
<a class="guide-app" href="/">Open donor-sync</a>
</header>
<div class="guide-columns">
<details class="guide-menu-small">
<summary>All pages</summary>
${renderMenu(document, 'All pages')}
</details>
<div class="guide-menu">${renderMenu(document, 'Guide')}</div>
<main id="main" tabindex="-1" class="guide-text${document === undefined ? ' guide-wide' : ''}">
${raw(content)}
${document === undefined ? '' : renderNeighbours(document)}
</main>
${toc.length > 1 ? renderToc(toc) : ''}
</div>
<footer class="bottom"><a href="${GUIDE}">Guide</a><a href="/docs">HTTP API reference</a></footer>
</body>
</html>
`;
  return String(page);
}

function renderMenu(current: string | undefined, label: string) {
  return html`<nav aria-label="${label}">
${CONTENTS.map(
  ({ name, pages }) => html`<section>
<h2>${name}</h2>
<ul>
${pages.map(
  (
    each,
  ) => html`<li><a href="${hrefOf(each)}"${each.document === current ? raw(' aria-current="page"') : ''}>${each.name}</a></li>
`,
)}</ul>
</section>
`,
)}</nav>`;
}

function renderToc(headings: readonly Heading[]) {
  return html`<nav class="guide-toc" aria-labelledby="toc"><p id="toc">On this page</p>
<ul>
${headings.map(
  ({ id, text, depth }) => html`<li class="toc-${depth}"><a href="#${id}">${text}</a></li>
`,
)}</ul></nav>`;
}

/** Returns links to the previous and the next page. */
function renderNeighbours(document: string) {
  const pages = CONTENTS.flatMap((group) => group.pages);
  const at = pages.findIndex((each) => each.document === document);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return html`<nav class="guide-next" aria-label="Previous and next page">
${before === undefined ? html`<span></span>` : html`<a href="${hrefOf(before)}"><span class="quiet">Previous</span> ${before.name}</a>`}
${after === undefined ? '' : html`<a class="after" href="${hrefOf(after)}"><span class="quiet">Next</span> ${after.name}</a>`}
</nav>`;
}

export function hrefOf({ document }: Pick<GuidePage, 'document'>): string {
  return `${GUIDE}/${guideName(document)}`;
}

/** Returns the start page, with an introduction and a list of all pages. */
export function renderStart(): string {
  return String(html`<h1>Guide</h1>
<p class="lead">How to set up donor-sync, run it every day, and find out why something happened.</p>
<p class="guide-first"><a class="button primary" href="${GUIDE}/concepts">Read Concepts first</a> <span class="quiet">Five minutes: what a client, a credit, a run and a decision are.</span></p>
${renderGroups()}`);
}

function renderGroups() {
  return html`<div class="guide-groups">
${CONTENTS.map(
  ({ name, pages }) => html`<section class="card"><h2>${name}</h2>
<dl>
${pages.map(
  (
    each,
  ) => html`<div><dt><a href="${hrefOf(each)}">${each.name}</a></dt><dd>${each.about}</dd></div>
`,
)}</dl></section>
`,
)}</div>`;
}

/** Renders the search page. Without JavaScript, it lists all sections. */
export function renderSearch(
  places: readonly { href: string; page: string; heading: string }[],
): string {
  const pages = Map.groupBy(places, ({ page }) => page);
  return String(html`<h1>Search</h1>
<p id="results-status" class="quiet" role="status"></p>
<ol id="results" class="guide-results"></ol>
<noscript>
<p>The search needs JavaScript. This is the list of everything that it finds. Use your browser's own search in it (Ctrl-F).</p>
${[...pages].map(
  ([page, members]) => html`<h2>${page}</h2>
<ul>${members.map(
    ({ href, heading }) => html`<li><a href="${href}">${heading}</a></li>
`,
  )}</ul>
`,
)}</noscript>`);
}
