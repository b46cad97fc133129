/** Handles monthly emails: choosing emails, confirming the address, and stopping an email with its link. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { confirmEmail, setMail } from '../../../operations/mails.ts';
import { readStopLink } from '../../../people/monthly-mails.ts';
import { stopMail } from '../../../people/statements/mail-choices.ts';
import type { Access } from '../../api/access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES } from '../../api/request/guards.ts';
import { type ClientAddress, requireSameOrigin } from '../../api/request/peer.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function mailRoutes(
  deps: HttpDeps,
  { access, getAddress }: { access: Pick<Access, 'noteWrong'>; getAddress: ClientAddress },
  frame: PageFrame,
): Hono<HttpEnv> {
  const { address } = deps;
  const { store } = deps.application;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  add('/account/mails/:kind', setMail, {
    answer: (c, { sentTo }, { state }) => {
      const note = sentTo !== null ? 'mailProof' : state === 'on' ? 'mailOn' : 'mailOff';
      return c.redirect(`/account?note=${note}#mails`, 303);
    },
  });

  // Link scanners and link previews send GET requests, so only the button on the page confirms the address.
  app.get('/account/mails/confirm', frame.see('viewer'), async (c) => {
    const { code } = codeSchema.parse(c.req.query());
    const { renderConfirmMail } = await import('./mail-pages.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(renderConfirmMail(frame.getViewer(c.var.principal), code));
  });

  add('/account/mails-confirmed', confirmEmail, {
    answer: (c) => c.redirect('/account?note=mailVerified#mails', 303),
  });

  app.get('/stop-mails/:secret', async (c) => {
    const place = readStopLink(store, c.req.param('secret'));
    if (place === null) access.noteWrong(c);
    const { renderStopMail } = await import('./mail-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const view = place === null ? 'wrong' : 'asks';
    const page = renderStopMail(frame.getViewer(null), { kind: place?.kind ?? null, state: view });
    return c.html(page, place === null ? 404 : 200);
  });

  // Mail programs send this request without a session and without an origin (RFC 8058).
  app.post('/stop-mails/:secret', limitBody(MAX_API_BODY_BYTES), async (c) => {
    requireSameOrigin(c, address.url(), 'allowed');
    const place = readStopLink(store, c.req.param('secret'));
    const { renderStopMail } = await import('./mail-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const stranger = frame.getViewer(null);
    if (place === null) {
      access.noteWrong(c);
      return c.html(renderStopMail(stranger, { kind: null, state: 'wrong' }), 404);
    }
    const actor = { kind: 'session', name: null, from: getAddress(c) } as const;
    await store.actingAs(actor).act((trx) => stopMail(trx, place));
    return c.html(renderStopMail(stranger, { kind: place.kind, state: 'stopped' }));
  });
  return app;
}

const codeSchema = z.object({ code: z.string().max(100).catch('') });
