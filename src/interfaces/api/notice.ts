/** A page of a few sentences, for a person who came from elsewhere or went astray. */
import { html } from 'hono/html';
import { pageText } from '../pages/assets.ts';

/** What it says: plain text, whatever a CRM has put into it. */
export interface Notice {
  title: string;
  text: string;
  /** What to do next. */
  next: readonly string[];
  /** Where the page leads on; null or left out where there is no other page. */
  link?: { href: string; text: string } | null;
}

/** The notice as a page; `styles` is where its styles are, as seen from the page. */
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
