import { html } from 'hono/html';
import { pageText } from '../pages/assets.ts';

/** A short page in plain text, which may contain text from a CRM. */
export interface Notice {
  title: string;
  text: string;
  /** The next step for the user. */
  next: readonly string[];
  /** A link, or null or omitted if there is none. */
  link?: { href: string; text: string } | null;
}

/** Renders the notice as a page. `styles` is the address of the page's styles, relative to the page. */
export function renderNotice({ title, text, next, link = null }: Notice, styles: string) {
  return pageText(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="${styles}">
<main>
<h1>${title}</h1>
<p>${text}</p>
<ul>${next.map((step) => html`<li>${step}</li>`)}</ul>
${link === null ? '' : html`<p><a href="${link.href}">${link.text}</a></p>`}
</main>
</html>`);
}
