import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { z } from 'zod';
import type { ClientBrief, ClientReader } from '../../../clients/views/clients.ts';
import { needsPerson, summarise } from '../../../clients/views/verdict.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Role } from '../../../core/role.ts';
import type { Access } from '../../api/access.ts';
import { listAccessible } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv, Principal } from '../../api/request/context.ts';
import { answerError } from '../../api/request/errors.ts';
import { type ProblemPage, problemTitle } from '../../api/request/guards.ts';
import { compressPage, isPage } from './compress-page.ts';
import { findForm } from './forms.ts';
import type { FrameOverview, Viewer } from './layout.tsx';
import { noteRefusal } from './refused-forms.ts';

export interface PageFrame {
  /** Creates the app for one group of pages. The app responds to errors with pages. */
  room(): Hono<HttpEnv>;
  /** Returns a guard that admits users with the role. Visitors are sent to the sign-in form and return afterwards. */
  see(role: Role): MiddlewareHandler<HttpEnv>;
  /** Returns a guard for forms. The request must come from one of donor-sync's own pages. */
  act(role: Role): MiddlewareHandler<HttpEnv>;
  /** Returns the status of all clients. The status is read once for all users. */
  clients: ClientReader;
  getViewer(principal: Principal | null): Viewer;
}

export function createPageFrame(
  deps: Pick<HttpDeps, 'application' | 'clock' | 'log' | 'version'>,
  access: Access,
  clients: ClientReader,
): PageFrame {
  const { application, clock, log, version } = deps;
  /** The content of the frame, by user. */
  const overviews = new WeakMap<Principal, FrameOverview>();
  return {
    clients,
    room() {
      const app = new Hono<HttpEnv>();
      app.onError((error, c) => answerPage(error, c));
      return app;
    },
    see: (role) => compressed(withOverview(access.requirePage(role))),
    act: (role) => withOverview(access.requireRole(role)),
    getViewer,
  };

  function getViewer(principal: Principal | null): Viewer {
    const overview = (principal && overviews.get(principal)) ?? null;
    return { principal, now: clock.now(), version, overview };
  }

  /**
   * Adds compression to a guard. Pages never contain a secret together with values from the address, so the compressed
   * size reveals nothing.
   */
  function compressed(guard: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> {
    const shrink = compress();
    return async (c, next) => {
      const early = await guard(c, next);
      // The guard redirects visitors.
      if (early instanceof Response) c.res = early;
      if (isPage(c.res)) await compressPage(c);
      else await shrink(c, async () => {});
    };
  }

  /** Adds the content of the frame to a guard. The content is read after the user was admitted. */
  function withOverview(guard: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> {
    return (c, next) =>
      guard(c, async () => {
        // Some forms respond with a page, for example with the preview of an undo.
        overviews.set(c.var.principal, await overviewFor(c));
        await next();
      });
  }

  async function overviewFor(c: Context<HttpEnv>): Promise<FrameOverview> {
    const briefs = await clients.briefs(listAccessible(c, application));
    const known = summaries.get(briefs);
    if (known !== undefined) return known;
    const overview = {
      summary: summarise(briefs),
      total: briefs.length,
      needs: briefs.filter(needsPerson).length,
      decisions: briefs.reduce((sum, { decisions }) => sum + decisions, 0),
      clients: chooseFirst(briefs).map(({ id, name }) => ({ id, name })),
    };
    summaries.set(briefs, overview);
    return overview;
  }

  async function answerPage(error: Error, c: Context<HttpEnv>): Promise<Response> {
    const answer = answerError(error, c, log);
    const body = errorSchema.parse(await answer.json());
    noteRefusal(c, body.error);
    const viewer = getViewer(c.get('principal') ?? null);
    const { renderProblem, renderSessionEnded } = await import('./problem-page.tsx');
    const page = await (answer.status === 401
      ? renderSessionEnded(viewer, findForm(c.req.path)?.page ?? '/')
      : renderProblem(viewer, problemTitle(answer.status), body.error));
    const headers = new Headers(answer.headers);
    headers.set('Content-Type', 'text/html; charset=utf-8');
    return new Response(page, { status: answer.status, headers });
  }
}

/** The content of the frame, by the user's clients. All users with the same access share the frame's content. */
const summaries = new WeakMap<readonly ClientBrief[], FrameOverview>();

/** The maximum number of clients that the frame lists. Users find other clients by name. */
const MAX_LISTED = 10;

/** Returns the clients for the list. Clients that need attention come first. */
function chooseFirst(briefs: readonly ClientBrief[]): ClientBrief[] {
  const first = briefs.filter(needsPerson).slice(0, MAX_LISTED);
  const rest = briefs.slice(0, 2 * MAX_LISTED).filter((brief) => !first.includes(brief));
  return [...first, ...rest].slice(0, MAX_LISTED);
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Creates the pages for unknown addresses and internal errors. These pages work even if the frame cannot be built. */
export function problemPages(
  { clock, log, version }: Pick<HttpDeps, 'clock' | 'log' | 'version'>,
  access: Pick<Access, 'identify'>,
): ProblemPage {
  return async (c, status, problem) => {
    const principal = c.get('principal') ?? (await identify(c));
    const { renderProblem } = await import('./problem-page.tsx');
    const viewer = { principal, now: clock.now(), version };
    return renderProblem(viewer, problemTitle(status), problem);
  };

  async function identify(c: Context<HttpEnv>): Promise<Principal | null> {
    try {
      return await access.identify(c);
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'a page of an error does without its frame');
      return null;
    }
  }
}
