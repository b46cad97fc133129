/** Handles how browsers sign in and out (design, section 4.5). */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Access } from '../../api/access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import type { PasskeySignIn } from '../../api/sign-in/by-passkey.ts';
import type { PasswordSignIn } from '../../api/sign-in/by-password.ts';
import { PROVIDER_PATH, type ProviderSignIn } from '../../api/sign-in/by-provider.ts';
import { findForm, isSentAgain } from '../frame/forms.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { passkeyShape, passwordSchema } from '../users/forms.ts';
import type { SignInView } from './sign-in-page.tsx';

export interface SignInDoors {
  access: Access;
  passwords: PasswordSignIn;
  passkeys: PasskeySignIn;
  /** Signs users in with the identity provider. Null if the settings contain no provider. */
  provider: ProviderSignIn | null;
}

export function signInRoutes(
  { passwords: passwordsCount = true }: HttpDeps,
  { access, passwords, passkeys, provider }: SignInDoors,
  frame: PageFrame,
): Hono<HttpEnv> {
  const app = frame.room();

  app.get('/sign-in', async (c) => {
    const { to } = signInQuerySchema.parse(c.req.query());
    if ((await access.identify(c)) !== null) return c.redirect(to, 303);
    if ((await access.findVisit(c)) !== null) return c.redirect('/first-visit', 303);
    return page(c, to, null);
  });

  /**
   * Reports whether the session of a page has ended, and whether its form is sent again after the sign-in. The page's
   * script requests this before it sends a form.
   */
  app.get('/sign-in/state', async (c) => {
    const principal = await access.identify(c);
    const form = findForm(c.req.query('form') ?? '');
    const { nameUser } = await import('../frame/layout.tsx');
    return c.json({
      user: principal && nameUser(principal),
      isSentAgain: form !== null && isSentAgain(form.kind),
    });
  });

  app.post('/sign-in', limitBody(MAX_API_BODY_BYTES), async (c) => {
    const { token, email, password, to, response, way } = signInSchema.parse(await readForm(c));
    if (response !== '') {
      if (await passkeys.signIn(c, { response, way })) return c.redirect(to, 303);
      return page(c, to, 'passkey');
    }
    if (email === '') {
      const isIn = (await access.signIn(c, token)) !== null;
      return isIn ? c.redirect(to, 303) : page(c, to, 'token');
    }
    if (!passwordsCount) return page(c, to, 'passwords');
    const signedIn = await passwords.signIn(c, { email, password });
    if (signedIn === 'wrong') return page(c, to, 'password');
    return c.redirect(signedIn === 'attacked' ? '/account?note=attacked' : to, 303);
  });

  app.get(PROVIDER_PATH, (c, next) => {
    if (provider === null) return next();
    return provider.begin(c, signInQuerySchema.parse(c.req.query()).to);
  });

  app.get(`${PROVIDER_PATH}/callback`, async (c, next) => {
    if (provider === null) return next();
    const to = await provider.comeBack(c);
    return to === null ? page(c, '/', 'provider') : c.redirect(to, 303);
  });

  app.post('/sign-out', async (c) => {
    await access.signOut(c);
    return c.redirect('/sign-in', 303);
  });
  return app;

  async function page(c: Context<HttpEnv>, to: string, refused: SignInView['refused']) {
    const { renderSignIn } = await import('./sign-in-page.tsx');
    const people = await access.hasPeople();
    const view = {
      to,
      refused,
      hasPeople: people,
      provider: provider?.name ?? null,
      hasPasswords: people && passwordsCount,
      passkey: await passkeys.offer(c),
    };
    return c.html(renderSignIn(frame.getViewer(null), view), refused === null ? 200 : 401);
  }
}

/** Accepts only paths of donor-sync's own pages, so that a link cannot redirect to a different site. */
const pathSchema = z
  .string()
  .regex(/^\/(?![/\\])[\w/.?=&%~:-]*$/)
  .catch('/');

const signInQuerySchema = z.object({ to: pathSchema });

const signInSchema = z.object({
  token: z.string().trim().catch(''),
  email: z.string().trim().max(254).catch(''),
  password: passwordSchema,
  ...passkeyShape,
  to: pathSchema,
});
