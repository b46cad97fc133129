/** The first visit: the browser that follows the one-time link creates the account of the first owner. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isConfigurationError } from '../../../core/errors.ts';
import { becomeOwner, inviteOwner } from '../../../people/become-owner.ts';
import { expectNewPassword } from '../../../people/sign-in/password.ts';
import {
  emailSchema,
  invitationPath,
  type PersonIdentity,
  personNameSchema,
} from '../../../people/user-accounts.ts';
import type { Access } from '../../api/access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import type { ClientAddress } from '../../api/request/peer.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { passwordSchema } from '../users/forms.ts';

export function firstVisitRoutes(
  { application, clock, passwords: hasPasswords = true }: HttpDeps,
  { access, getAddress }: { access: Access; getAddress: ClientAddress },
  frame: PageFrame,
): Hono<HttpEnv> {
  const { store, sealer, integrations } = application;
  const app = frame.room();
  const limited = limitBody(MAX_API_BODY_BYTES);

  // Link scanners and previews send GET, so only the button on the page uses the link.
  app.get('/first-visit/:secret', async (c) => {
    const { renderFirstVisit } = await import('./first-visit-page.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(renderFirstVisit(frame.getViewer(null)));
  });

  app.post('/first-visit/:secret', limited, async (c) => {
    await access.beginFirstVisit(c, c.req.param('secret'));
    return c.redirect('/first-visit', 303);
  });

  app.get('/first-visit', async (c) => {
    if (!(await access.isOnFirstVisit(c))) return c.redirect('/', 303);
    return accountPage(c, { name: '', email: '' }, null);
  });

  app.post('/first-visit', limited, async (c) => {
    await access.requireFirstVisit(c);
    const form = typedSchema.parse(await readForm(c));
    const { data: identity, error } = identitySchema.safeParse(form);
    if (identity === undefined) {
      return accountPage(c, form, error?.issues[0]?.message ?? 'The form is not filled in.');
    }
    const acting = store.actingAs({ kind: 'local', name: null, from: getAddress(c) });
    try {
      if (!hasPasswords) {
        const invited = await acting.act((trx) => inviteOwner(trx, { sealer }, identity));
        return c.redirect(invitationPath(invited), 303);
      }
      const clientNames = [...integrations.values()].flatMap(({ id, name }) => [id, name ?? '']);
      const deps = { store: acting, sealer, clock, clientNames };
      await access.signInAs(c, await becomeOwner(deps, identity, form.fresh));
    } catch (problem) {
      if (!isConfigurationError(problem)) throw problem;
      return accountPage(c, form, problem.message);
    }
    return c.redirect(integrations.size === 0 ? '/setup' : '/', 303);
  });
  return app;

  /** The form, with everything that was typed except the password. */
  async function accountPage(
    c: Context<HttpEnv>,
    { name, email }: PersonIdentity,
    problem: string | null,
  ) {
    if (hasPasswords) expectNewPassword();
    const { renderFirstAccount } = await import('./first-visit-page.tsx');
    const view = { typed: { name, email }, hasPasswords, problem };
    c.header('Cache-Control', 'no-store');
    return c.html(renderFirstAccount(frame.getViewer(null), view), problem === null ? 200 : 422);
  }
}

const typedSchema = z.object({
  name: z.string().max(1_000).catch(''),
  email: z.string().max(1_000).catch(''),
  fresh: passwordSchema,
});

const identitySchema = z.object({ name: personNameSchema, email: emailSchema });
