import { html } from 'hono/html';
import { pageText } from './request/page-text.ts';

/** What a person reads who comes back from a CRM: plain text, whatever the CRM has put into it. */
export interface Notice {
  title: string;
  text: string;
  /** What to do next. */
  next: readonly string[];
}

/** The notice as a page; its styles are beside it, at `/oauth/styles.css`. */
export function renderNotice({ title, text, next }: Notice) {
  return pageText(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="../styles.css">
<main>
<h1>${title}</h1>
<p>${text}</p>
<ul>${next.map((step) => html`<li>${step}</li>`)}</ul>
</main>
</html>`);
}
