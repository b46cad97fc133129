/** Shows a refused form again, with the typed values but without secrets. All forms use this mechanism. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../../api/request/context.ts';
import { MAX_API_BODY_BYTES } from '../../api/request/guards.ts';
import { findForm } from './forms.ts';
import { refill, type Typed } from './typed-values.ts';

/** The content of the response after a form was refused. */
export interface Refusal {
  code: string;
  message: string;
}

const refusals = new WeakMap<Context, Refusal>();
const fields = new WeakMap<Error, string>();
const refusedFields = new WeakMap<Context, string>();

/** Records a refusal, so that the form's page can show it. */
export function noteRefusal(c: Context<HttpEnv>, refusal: Refusal): void {
  refusals.set(c, refusal);
}

export function aboutField<Refused extends Error>(error: Refused, name: string): Refused {
  fields.set(error, name);
  return error;
}

/** Records only the invalid field, for pages that show the problem themselves. */
export function noteField(c: Context<HttpEnv>, error: unknown): void {
  const field = error instanceof Error ? fields.get(error) : undefined;
  if (field !== undefined) refusedFields.set(c, field);
}

/** Returns the handler that shows refused forms. `pages` renders the forms' pages. */
export function showRefusedForms(pages: Pick<Hono<HttpEnv>, 'fetch'>): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    await next();
    const { res, req } = c;
    if (req.method !== 'POST' || res.status < 400 || !isPage(res)) return;
    const form = findForm(req.path);
    const refusal = refusals.get(c) ?? null;
    // Other sites must not be able to fill in donor-sync's forms.
    if (form === null || refusal?.code === 'origin_foreign') return;
    const page = refusal === null ? await res.text() : await readPage(pages, c, form.page);
    if (page === null) return;
    const text = refill(page, {
      action: req.path,
      typed: await readTyped(c),
      field: (c.error && fields.get(c.error)) ?? refusedFields.get(c) ?? null,
      problem: refusal?.message ?? null,
      page: form.page === req.path ? null : form.page,
      isConflict: res.status === 409,
    });
    c.res = new Response(text, { status: res.status, headers: res.headers });
  };
}

function isPage(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/html') ?? false;
}

async function readPage(
  pages: Pick<Hono<HttpEnv>, 'fetch'>,
  c: Context<HttpEnv>,
  path: string,
): Promise<string | null> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of BODY_HEADERS) headers.delete(name);
  const url = new URL(path, c.req.url);
  const came = URL.parse(c.req.header('referer') ?? '');
  // Keeps the page's filter and the position in its list.
  if (came?.pathname === path) url.search = withoutNote(came);
  const response = await pages.fetch(new Request(url, { headers }), c.env);
  return response.status === 200 && isPage(response) ? response.text() : null;
}

/** Headers that describe the form's body, or that request compression. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding', 'accept-encoding'];

function withoutNote({ searchParams }: URL): string {
  searchParams.delete('note');
  return searchParams.toString();
}

/** Reads a form that was refused before it was read. Ignores a form that is too large. */
async function readTyped(c: Context<HttpEnv>): Promise<Typed> {
  const typed = new Map<string, string[]>();
  const isRead = c.req.bodyCache.formData !== undefined;
  const bytes = Number(c.req.header('content-length') ?? Number.POSITIVE_INFINITY);
  if (!isRead && !(bytes <= MAX_API_BODY_BYTES)) return typed;
  try {
    for (const [name, value] of await c.req.formData()) {
      if (typeof value !== 'string') continue;
      const before = typed.get(name);
      if (before === undefined) typed.set(name, [value]);
      else before.push(value);
    }
  } catch (error) {
    // The body is not a form. The response already reports this problem.
    if (!(error instanceof TypeError)) throw error;
  }
  return typed;
}
