/** Serves the page that the link on the CRM's card opens. */
import type { Context, Hono } from 'hono';
import { crmName } from '../../../../connectors/index.ts';
import { findLinkedUser, linkCrmUser, unlinkCrmUser } from '../../../operations/doors/link.ts';
import { getCaller } from '../../api/request/caller.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function crmUserRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { store, sealer } = deps.application;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  // Opening the page changes nothing, because link previews also send GET requests.
  app.get('/link/:secret', frame.see(linkCrmUser.role), async (c) => {
    const { fingerprint, reader } = store;
    const world = { reader, sealer, clock: deps.clock, fingerprint };
    const user = await findLinkedUser(world, c.req.param('secret'));
    return page(c, user);
  });

  add('/link/:secret', linkCrmUser, {
    answer: (c) => c.redirect('/account?note=linked', 303),
    // While the page was open, a different browser used the link, or the link expired.
    refused: (c, { code }) => (code === 'door_link_invalid' ? page(c, null) : null),
  });

  add('/account/links/:link/end', unlinkCrmUser, {
    answer: (c) => c.redirect('/account?note=unlinked', 303),
  });
  return app;

  async function page(c: Context<HttpEnv>, user: Awaited<ReturnType<typeof findLinkedUser>>) {
    const { principal } = c.var;
    const { kind } = getCaller(c);
    const { renderLink } = await import('./crm-user-page.tsx');
    const shown = user && { crm: crmName(user.kind), ...user };
    const view = { user: shown, isUser: kind === 'person', isProven: principal.isProven };
    return c.html(renderLink(frame.getViewer(principal), view), user === null ? 404 : 200);
  }
}
