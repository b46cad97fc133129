/** What every room of pages is made with: who may see it, who looks, and errors as pages. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { z } from 'zod';
import {
  type ClientBrief,
  type ClientReader,
  needsPerson,
} from '../../../clients/views/clients.ts';
import { summarise } from '../../../clients/views/verdict.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Role } from '../../../core/role.ts';
import type { Access } from '../../api/access.ts';
import { listAccessible } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv, Principal } from '../../api/request/context.ts';
import { answerError } from '../../api/request/errors.ts';
import { type ProblemPage, problemTitle } from '../../api/request/guards.ts';
import type { FrameOverview, Viewer } from './layout.tsx';

/** What rooms of pages need besides the world. */
export interface PageFrame {
  /** An app of one room: its errors are answered by pages. */
  room(): Hono<HttpEnv>;
  /**
   * For pages: lets those through who have the role, and sets `c.var.principal` and `c.var.actor`. A stranger
   * is led to the form to sign in, and comes back.
   */
  see(role: Role): MiddlewareHandler<HttpEnv>;
  /** For what buttons do: the role, and a page of ours that the request came from. */
  act(role: Role): MiddlewareHandler<HttpEnv>;
  /** How all clients are; what is read is shared by all who look. */
  clients: ClientReader;
  /** Who looks at the page, for its frame; null stands for a stranger. */
  getViewer(principal: Principal | null): Viewer;
}

export function createPageFrame(
  deps: Pick<HttpDeps, 'application' | 'clock' | 'log' | 'version'>,
  access: Access,
  clients: ClientReader,
): PageFrame {
  const { application, clock, log, version } = deps;
  /** What the frame shows to who asked just now. */
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

  /** Nothing secret stands in a page beside what its address brings: to compress it gives nothing away. */
  function compressed(guard: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> {
    const shrink = compress();
    return async (c, next) => {
      await shrink(c, async () => {
        const early = await guard(c, next);
        // A stranger is led away.
        if (early instanceof Response) c.res = early;
      });
    };
  }

  /** Reads the sign and the clients that the frame of a page shows, once the user is let through. */
  function withOverview(guard: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> {
    return (c, next) =>
      guard(c, async () => {
        if (c.req.method === 'GET') overviews.set(c.var.principal, await overviewFor(c));
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
      clients: chooseFirst(briefs).map(({ id, name }) => ({ id, name })),
    };
    summaries.set(briefs, overview);
    return overview;
  }

  /** The same answer as everywhere, for people. */
  async function answerPage(error: Error, c: Context<HttpEnv>): Promise<Response> {
    const answer = answerError(error, c, log);
    const body = errorSchema.parse(await answer.json());
    const { renderProblem } = await import('./problem-page.tsx');
    const page = await renderProblem(
      getViewer(c.get('principal') ?? null),
      problemTitle(answer.status),
      body.error,
    );
    const headers = new Headers(answer.headers);
    headers.set('Content-Type', 'text/html; charset=utf-8');
    return new Response(page, { status: answer.status, headers });
  }
}

/** Made once of what is shared by all who reach the same clients. */
const summaries = new WeakMap<readonly ClientBrief[], FrameOverview>();

/** Clients that the switcher lists; the others are found by their name. */
const MAX_LISTED = 10;

/** Those that need a person first. */
function chooseFirst(briefs: readonly ClientBrief[]): ClientBrief[] {
  const first = briefs.filter(needsPerson).slice(0, MAX_LISTED);
  const rest = briefs.slice(0, 2 * MAX_LISTED).filter((brief) => !first.includes(brief));
  return [...first, ...rest].slice(0, MAX_LISTED);
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * The page for what is not there, and for what went wrong inside, wherever that was: with the frame for who has
 * signed in. Whatever is wrong with that says nothing more.
 */
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
