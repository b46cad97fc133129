/** Creates or recovers an owner's account, in the browser that follows the one-time link of `serve`. */
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
import type { Visit } from '../../api/request/secret.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { passwordSchema } from '../users/forms.ts';
import type { FirstAccountView } from './first-visit-page.tsx';

export function firstVisitRoutes(
  { application, clock, address, passwords: hasPasswords = true }: HttpDeps,
  { access, getAddress }: { access: Access; getAddress: ClientAddress },
  frame: PageFrame,
): Hono<HttpEnv> {
  const { store, sealer, integrations } = application;
  const app = frame.room();
  const limited = limitBody(MAX_API_BODY_BYTES);

  // Link scanners and link previews send GET requests, so only the button on the page uses the link.
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
    const visit = await access.findVisit(c);
    if (visit === null) return c.redirect('/', 303);
    return accountPage(c, { visit, typed: { name: '', email: '' }, problem: null });
  });

  app.post('/first-visit', limited, async (c) => {
    const visit = await access.requireVisit(c);
    const form = typedSchema.parse(await readForm(c));
    const typed = { name: form.name, email: form.email };
    const { data: identity, error } = identitySchema.safeParse(typed);
    if (identity === undefined) {
      const problem = error?.issues[0]?.message ?? 'The form is not filled in.';
      return accountPage(c, { visit, typed, problem });
    }
    // A second click must not create a second account.
    const resume = visit === 'recovery' ? access.endVisit() : null;
    try {
      return c.redirect(await createAccount(c, identity, form.fresh, visit), 303);
    } catch (refusal) {
      resume?.();
      if (!isConfigurationError(refusal)) throw refusal;
      return accountPage(c, { visit, typed, problem: refusal.message });
    }
  });
  return app;

  /** Creates the account. Resolves with the address of the next page. */
  async function createAccount(
    c: Context<HttpEnv>,
    identity: PersonIdentity,
    password: string,
    visit: Visit,
  ): Promise<string> {
    const acting = store.actingAs({ kind: 'local', name: null, from: getAddress(c) });
    const how = { isRecovery: visit === 'recovery' };
    if (!hasPasswords) {
      return invitationPath(await acting.act((trx) => inviteOwner(trx, { sealer }, identity, how)));
    }
    const clientNames = [...integrations.values()].flatMap(({ id, name }) => [id, name ?? '']);
    const deps = { store: acting, sealer, clock, clientNames };
    await access.signInAs(c, await becomeOwner(deps, identity, password, how));
    if (visit === 'first' && address.from() === 'default') return '/address?first';
    return integrations.size === 0 ? '/setup' : '/';
  }

  /** Returns the form, with all typed values except the password. */
  async function accountPage(
    c: Context<HttpEnv>,
    view: Pick<FirstAccountView, 'visit' | 'typed' | 'problem'>,
  ) {
    if (hasPasswords) expectNewPassword();
    const { renderFirstAccount } = await import('./first-visit-page.tsx');
    c.header('Cache-Control', 'no-store');
    const page = renderFirstAccount(frame.getViewer(null), { ...view, hasPasswords });
    return c.html(page, view.problem === null ? 200 : 422);
  }
}

const typedSchema = z.object({
  name: z.string().max(1_000).catch(''),
  email: z.string().max(1_000).catch(''),
  fresh: passwordSchema,
});

const identitySchema = z.object({ name: personNameSchema, email: emailSchema });
