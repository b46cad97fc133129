/** Reads a page's heading, notices and errors. */

const OPENING = /<([a-z][a-z0-9]*)\b([^>]*)>/g;
const TELLS =
  /role="(?:alert|status)"|\bdata-problem\b|class="(?:[^"]* )?(?:problem|refused|trouble|undo)(?: [^"]*)?"/;

/** Matches pages that consist of a notice only. */
const PLAIN = /<main>\s*<h1>/;

export function readNotices(html: string): string[] {
  const heading = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '';
  // The response is only a part of a page, which a script inserts.
  if (!/^<!doctype/i.test(html)) return [toText(html)];
  if (PLAIN.test(html)) return [toText(heading), toText(html.slice(html.indexOf('</h1>')))];
  const notices: string[] = [];
  let end = 0;
  for (const match of html.matchAll(OPENING)) {
    const [opening, tag = '', attributes = ''] = match;
    // A notice inside a different notice is part of its text. Hidden notices are only for scripts.
    if (match.index < end || !TELLS.test(attributes) || /\bhidden\b/.test(attributes)) continue;
    const start = match.index + opening.length;
    end = closingOf(html, tag, start);
    notices.push(toText(html.slice(start, end)));
  }
  return [toText(heading), ...notices.filter((text) => text !== '')];
}

/** Returns the position of the closing tag for the element that was opened before `start`. */
function closingOf(html: string, tag: string, start: number): number {
  let depth = 1;
  for (const match of html.slice(start).matchAll(new RegExp(`<(/?)${tag}\\b[^>]*>`, 'g'))) {
    depth += match[1] === '/' ? -1 : 1;
    if (depth === 0) return start + match.index;
  }
  return html.length;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" },
};

function toText(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
