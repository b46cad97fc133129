/** Converts a document in the repository to a page of the guide. */
import { Marked, type Token, type Tokens } from 'marked';

/** A part of a page that the search can find. */
export interface Section {
  /** The section's anchor. Empty for the start of the page. */
  id: string;
  heading: string;
  text: string;
}

export interface Heading {
  id: string;
  text: string;
  depth: number;
}

export interface RenderedPage {
  title: string;
  html: string;
  headings: readonly Heading[];
  sections: readonly Section[];
  anchors: ReadonlySet<string>;
}

/** Converts the addresses in a document to addresses in the guide. */
export interface Addresses {
  /** Returns a link's target: an address, or the path of a file that is only in the repository. */
  link(href: string): { href: string } | { file: string };
  image(src: string): string;
}

/** The HTML that documents may contain. It is limited to anchors, and to pictures for light and dark mode. */
const ANCHOR = /^<a id="([\w.-]+)">$/;
const PICTURE = /^<picture>\s*(?:<source [^<>]+>\s*|<img [^<>]+>\s*)+<\/picture>\s*$/;
const COMMENT = /^<!--[\s\S]*-->\s*$/;

/** Renders a document. With `hasRows`, each row of its tables also becomes a section. */
export function renderMarkdown(
  text: string,
  addresses: Addresses,
  { hasRows = false }: { hasRows?: boolean | undefined } = {},
): RenderedPage {
  const anchors = new Set<string>();
  const headings: Heading[] = [];
  const sections: Section[] = [];
  const tokens = new Marked({ gfm: true }).lexer(text);
  // If a heading and a row of a table have the same name, a link leads to the heading.
  const headingIds = tokens.flatMap((token) =>
    token.type === 'heading' ? [addAnchor(slug(plainText(token.tokens ?? [])))] : [],
  );

  const renderer = new Marked({ gfm: true });
  renderer.use({
    renderer: {
      heading({ tokens: inner, depth }) {
        const words = plainText(inner);
        const id = headingIds[headings.length];
        if (id === undefined) throw new Error(`The guide cannot contain this heading: ${words}`);
        headings.push({ id, text: words, depth });
        sections.push({ id: depth === 1 ? '' : id, heading: words, text: '' });
        const content = this.parser.parseInline(inner);
        if (depth === 1) return `<h1 id="${id}">${content}</h1>\n`;
        // The heading links to itself, so that its address can be copied.
        return `<h${depth} id="${id}"><a class="here" href="#${id}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const content = this.parser.parseInline(inner);
        const target = addresses.link(href);
        if ('file' in target) {
          const { file } = target;
          const name = plainText(inner) === file ? '' : `<code>${escapeHtml(file)}</code> `;
          return `${content} <span class="quiet">(${name}in the repository)</span>`;
        }
        const rel = /^[/#]/.test(target.href) ? '' : ' rel="noreferrer"';
        return `<a href="${escapeHtml(target.href)}"${rel}>${content}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${addresses.image(href)}" alt="${escapeHtml(alt)}" loading="lazy">`;
      },
      html({ text: raw }) {
        return renderHtml(raw);
      },
      checkbox({ checked }) {
        return checked ? '☑ ' : '☐ ';
      },
      codespan({ text: code }) {
        // A long name gets extra places where a line may end.
        return `<code>${escapeHtml(code).replace(/(?<=\w[_./])(?=\w)/g, '<wbr>')}</code>`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
      },
      table(table) {
        const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        return renderTable(table, inline);
      },
    },
  });
  // The sections are collected while the document is rendered, so they are in the right order.
  const html = tokens.map((token) => renderBlock(token)).join('');
  const title = headings.find(({ depth }) => depth === 1)?.text ?? '';
  return { title, html, headings, sections, anchors };

  function renderBlock(token: Token): string {
    const isTable = token.type === 'table';
    if (token.type !== 'heading' && !(isTable && hasRows)) noteText(plainText([token]));
    return renderer.parser([token]);
  }

  function noteText(words: string): void {
    const section = sections.findLast((each) => !each.id.startsWith(ROW));
    if (section !== undefined) section.text = `${section.text} ${words}`.trim();
  }

  function renderTable(table: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
    const heads = table.header.map(({ tokens: inner }) => plainText(inner));
    const head = table.header.map((cell) => {
      const content = inline(cell);
      // An empty cell must not be a header cell, because a screen reader would announce an empty heading for its
      // column.
      if (content === '') return '<td role="cell"></td>';
      return `<th role="columnheader" scope="col">${content}</th>`;
    });
    const body = table.rows.map((cells) => {
      const words = cells.map(({ tokens: inner }) => plainText(inner));
      const names = hasRows ? nameRow(cells[0], words[0] ?? '') : [];
      const [id, ...others] = names.filter((name) => !anchors.has(name)).map(addAnchor);
      const described = words.slice(1).join(' ');
      const places = names.filter(
        (name) => [id, ...others].includes(name) || headingIds.includes(name),
      );
      for (const place of places) {
        const heading = names.length > 1 ? place : (words[0] ?? '');
        sections.push({ id: ROW + place, heading, text: described });
      }
      if (hasRows && places.length === 0) noteText(words.join(' '));
      const more = others.map((other) => `<a id="${other}"></a>`).join('');
      const shown = cells.map(
        (cell, column) =>
          `<td role="cell" data-label="${escapeHtml(heads[column] ?? '')}">${column === 0 ? more : ''}${inline(cell)}</td>`,
      );
      return `<tr role="row"${id === undefined ? '' : ` id="${id}"`}>${shown.join('')}</tr>\n`;
    });
    return `<table role="table"><thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead><tbody role="rowgroup">\n${body.join('')}</tbody></table>\n`;
  }

  /** Returns the names with which readers can find a row. They are the codes in its first cell, or the cell's text. */
  function nameRow(cell: Tokens.TableCell | undefined, first: string): string[] {
    const inner = cell?.tokens ?? [];
    const codes = inner.flatMap((token) => (token.type === 'codespan' ? [token.text] : []));
    const names = inner[0]?.type === 'codespan' ? codes.map(toAnchor) : [slug(first)];
    return [...new Set(names)].filter((name) => name !== '');
  }

  function addAnchor(wanted: string): string {
    let id = wanted;
    for (let copy = 1; anchors.has(id); copy += 1) id = `${wanted}-${copy}`;
    anchors.add(id);
    return id;
  }

  function renderHtml(raw: string): string {
    const [, id] = ANCHOR.exec(raw) ?? [];
    if (id !== undefined) {
      anchors.add(id);
      return raw;
    }
    if (raw === '</a>') return raw;
    if (/^<a id="[\w.-]+"><\/a>\s*$/.test(raw)) {
      anchors.add(raw.slice('<a id="'.length, raw.indexOf('">')));
      return raw;
    }
    if (COMMENT.test(raw)) return '';
    if (!PICTURE.test(raw)) throw new Error(`The guide cannot contain this HTML: ${raw}`);
    return raw
      .replace(/\b(src|srcset)="([^"]+)"/g, (_, name, src) => `${name}="${addresses.image(src)}"`)
      .replace('<img ', '<img loading="lazy" ');
  }
}

/** Returns a code as an anchor, without brackets and similar characters. */
function toAnchor(code: string): string {
  return code.replace(/[^\w.-]/g, '');
}

/** A character that marks the ID of a section that is a row of a table. */
const ROW = '@';

/** Returns a section's anchor. For a row of a table, removes the mark. */
export function anchorOf({ id }: Pick<Section, 'id'>): string {
  return id.startsWith(ROW) ? id.slice(ROW.length) : id;
}

/** Returns true if the section is a row of a table. */
export function isRow({ id }: Pick<Section, 'id'>): boolean {
  return id.startsWith(ROW);
}

/** Returns a heading's anchor, as GitHub creates it. */
function slug(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Returns the text of a part of a document, without markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(wordsOf).join('').replace(/\s+/g, ' ').trim();
}

function wordsOf(token: Token): string {
  switch (token.type) {
    case 'table':
      return [token['header'], ...token['rows']]
        .flat()
        .map((cell: Tokens.TableCell) => plainText(cell.tokens))
        .join(' ');
    case 'list':
      return token['items'].map((item: Tokens.ListItem) => plainText(item.tokens)).join(' ');
    case 'html':
      return ' ';
    case 'image':
      return '';
    case 'escape':
    case 'codespan':
    case 'code':
      return unescapeHtml(token['text']);
    case 'br':
    case 'space':
      return ' ';
    default:
      return 'tokens' in token && token.tokens !== undefined
        ? `${token.tokens.map(wordsOf).join('')}${token.type === 'paragraph' ? ' ' : ''}`
        : unescapeHtml('text' in token ? String(token['text']) : '');
  }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
