/** Introductions: the contacts to call first, the members who can introduce them, and the user's own list. */
import type { Context, Hono } from 'hono';
import {
  addListed,
  INTRODUCTIONS_PAGE,
  MOST_INTRODUCTIONS,
  rankedIntroductions,
  removeListed,
} from '../../../operations/introductions/introductions.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { sendCsv } from '../../api/operation-routes.ts';
import { authorised, getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { findIntegration, listAccessible } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { buildHref, querySchema } from './query.ts';

export function introductionPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();
  const world = toOperationDeps(deps);

  // The page shows one client. If the user chose no client, it shows the first client with networks.
  app.get('/introductions', frame.see(rankedIntroductions.role), async (c) => {
    const clients = [...listAccessible(c, application).values()];
    const [first = clients[0]] = clients.filter(({ networks }) => networks.length > 0);
    if (first !== undefined) return c.redirect(`/introductions/${first.id}`, 303);
    const { renderNoClients } = await import('./introductions-page.tsx');
    return c.html(renderNoClients(frame.getViewer(c.var.principal)));
  });

  app.get(
    '/introductions/:integration',
    frame.see(rankedIntroductions.role),
    authorised(rankedIntroductions),
    async (c) => {
      const client = findIntegration(c, application, c.req.param('integration'));
      const query = querySchema.parse(c.req.query());
      const input = { ...query, integration: client.id, limit: INTRODUCTIONS_PAGE };
      const { introductions } = await perform(world, getCaller(c), rankedIntroductions, input);
      const { renderIntroductions } = await import('./introductions-page.tsx');
      const clients = [...listAccessible(c, application).values()];
      c.header('Cache-Control', 'no-store');
      return c.html(
        renderIntroductions(frame.getViewer(c.var.principal), {
          ...introductions,
          query,
          client: { id: client.id, name: client.name ?? client.id },
          clients: clients
            .filter(({ networks, id }) => networks.length > 0 || id === client.id)
            .map(({ id, name = id }) => ({ id, name })),
        }),
      );
    },
  );

  const { add } = createOperationForms(deps, frame, app);
  // A downloaded file leaves donor-sync, so another site's link must not be able to request the file.
  add('/introductions/:integration/csv', rankedIntroductions, {
    read: (form) => ({ ...querySchema.parse(form), from: 0, limit: MOST_INTRODUCTIONS }),
    answer: (c, result, input) => sendCsv(c, rankedIntroductions, { result, input }),
  });
  add('/introductions/:integration/listed/:contact', addListed, {
    read: () => ({}),
    answer: (c, _, { integration }) => backTo(c, integration),
  });
  add('/introductions/:integration/listed/:contact/remove', removeListed, {
    read: () => ({}),
    answer: (c, _, { integration }) => backTo(c, integration),
  });
  return app;
}

/**
 * Redirects to the page with the same filters. The form's address contains the filters, because the operation does not
 * have them.
 */
function backTo(c: Context<HttpEnv>, client: string): Response {
  return c.redirect(buildHref(client, querySchema.parse(c.req.query()), {}), 303);
}
