/**
 * The pages of a contact. Each button first shows its effect, in response to a POST request. Computing the effect
 * requires a CRM query, so another site's link must not start it.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Integration } from '../../../core/integration-settings.ts';
import { newId } from '../../../core/new-id.ts';
import { type ContactPlan, describeContactPlan } from '../../../operations/contact/plan-text.ts';
import { isErasureConfirmed } from '../../../operations/contact/read-contact.ts';
import { findContactsByName, showContact } from '../../../operations/contacts.ts';
import { forgetContact } from '../../../operations/forget.ts';
import { previewErasure } from '../../../operations/forget-preview.ts';
import type { Operation } from '../../../operations/kit/operation.ts';
import { perform, performLater, preview } from '../../../operations/kit/perform.ts';
import { planClient } from '../../../operations/plan.ts';
import { previewRedelivery, redeliver } from '../../../operations/redeliver.ts';
import { startRun } from '../../../operations/start-run.ts';
import { authorised, getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { findRecordUrls } from '../decisions/record-url.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { contactHref } from './contact-href.ts';
import type { Intended } from './intended-page.tsx';

const PAGE = '/clients/:integration/contacts/:contact';

/**
 * The script of the pages sends this header when it refreshes an open page. A page of a contact shows data from the CRM,
 * and the audit records who has seen it. A page that is merely open does neither, so its parts stay as they are until the
 * user opens the page again or the contact is erased.
 */
const REFRESH_HEADER = 'x-refresh';

export function contactPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, clock } = deps;
  const app = frame.room();
  const world = toOperationDeps(deps);

  app.get('/clients/:id/contacts', frame.see(findContactsByName.role), async (c) => {
    const client = findIntegration(c, application, c.req.param('id'));
    const { renderSearch } = await import('./contact-pages.tsx');
    return c.html(renderSearch(frame.getViewer(c.var.principal), { client, searched: null }));
  });

  createOperationForms(deps, frame, app).add('/clients/:integration/contacts', findContactsByName, {
    read: ({ text }) => ({ text }),
    async answer(c, { search: found }, { integration, text }) {
      const client = findIntegration(c, application, integration);
      const { renderSearch } = await import('./contact-pages.tsx');
      const viewer = frame.getViewer(c.var.principal);
      return c.html(renderSearch(viewer, { client, searched: { text, found } }));
    },
  });

  app.get('/clients/:id/contacts/:contact', frame.see(showContact.role), async (c) => {
    const { id: integration, contact: typed } = c.req.param();
    const client = findIntegration(c, application, integration);
    if (c.req.header(REFRESH_HEADER) !== undefined && !(await isEnding(client, typed))) {
      const { renderContactFrame } = await import('./contact-pages.tsx');
      return c.html(renderContactFrame(frame.getViewer(c.var.principal), { client, crmId: typed }));
    }
    const input = { integration, contact: typed };
    const { contact } = await perform(world, getCaller(c), showContact, input);
    const { note } = querySchema.parse(c.req.query());
    const { renderContact } = await import('./contact-pages.tsx');
    const viewer = frame.getViewer(c.var.principal);
    const recordUrl = (await findRecordUrls(client))(contact.crmId);
    return c.html(renderContact(viewer, { client, recordUrl, contact, note: note && NOTES[note] }));
  });

  app.post(`${PAGE}/plan`, ...guards(planClient), async (c) => answerPlan(c, await planOf(c)));

  // Since the preview, a free profile may have become unavailable.
  app.post(`${PAGE}/enhance`, ...guards(startRun), async (c, next) => {
    const { wasFree } = shownSchema.parse(await readForm(c));
    const plan = wasFree ? await planOf(c) : null;
    if (plan?.credits === 1) return answerPlan(c, plan);
    return next();
  });

  createOperationForms(deps, frame, app).add(`${PAGE}/enhance`, startRun, {
    read: ({ idempotencyKey }) => ({ idempotencyKey }),
    answer(c, { run }) {
      frame.clients.forget();
      return c.redirect(`/runs/${run.id}?note=contact`, 303);
    },
  });

  app.post(`${PAGE}/redelivery/preview`, ...guards(redeliver), async (c) => {
    const { redelivery } = await perform(world, getCaller(c), previewRedelivery, subjects(c));
    const asked = await preview(world, getCaller(c), redeliver, subjects(c));
    const { values, kept, excluded, contacts, unchanged } = redelivery;
    const written = values.map(({ field }) => `${field} gets its value from the kept profile.`);
    const left = kept.map(({ field, text }) => `${field} stays as it is: ${text}.`);
    const without = excluded.map(({ text }) => `No value is written: ${text}.`);
    const same = unchanged > 0 ? ['The CRM already has all values of the kept profile.'] : [];
    const fields = { digest: asked?.digest ?? '' };
    return answer(c, {
      title: 'Write again',
      texts: [...written, ...left, ...without, ...same],
      form:
        contacts === 0
          ? null
          : { action: 'redelivery', button: 'Write these values at no cost', fields },
    });
  });

  app.post(`${PAGE}/redelivery`, ...guards(redeliver), async (c) => {
    const { digest } = digestSchema.parse(await readForm(c));
    await performLater(world, getCaller(c), redeliver, subjects(c), digest);
    return backTo(c, 'rewrite');
  });

  app.post(`${PAGE}/forget/preview`, ...guards(forgetContact), async (c) => {
    const input = toErasure(c, eraseSchema.parse(await readForm(c)));
    const asked = await preview(world, getCaller(c), forgetContact, input);
    const { alsoInCrm } = input;
    const { erasable } = await perform(world, getCaller(c), previewErasure, {
      ...subjects(c),
      alsoInCrm,
    });
    const client = findIntegration(c, application, input.integration);
    const { renderErasure } = await import('./contact-pages.tsx');
    const viewer = frame.getViewer(c.var.principal);
    const content = { client, erasable, alsoInCrm, digest: asked?.digest ?? '' };
    return c.html(renderErasure(viewer, content));
  });

  app.post(`${PAGE}/forget`, ...guards(forgetContact), async (c) => {
    const form = await readForm(c);
    const { digest } = digestSchema.parse(form);
    const input = toErasure(c, eraseSchema.parse(form));
    const { approval } = await perform(world, getCaller(c), forgetContact, input, digest);
    return backTo(c, approval.state === 'waiting' ? 'eraseWaits' : 'erase');
  });
  return app;

  /** True if the page has to say that the contact was erased or is being erased. */
  async function isEnding(client: Integration, typed: string): Promise<boolean> {
    const crmId = await application.contactId(client, typed);
    return isErasureConfirmed(application.store, client, crmId);
  }

  function guards(operation: Operation) {
    const { role } = operation;
    return [frame.act(role), authorised(operation), limitBody(MAX_API_BODY_BYTES)] as const;
  }

  async function planOf(c: Context<HttpEnv>): Promise<ContactPlan> {
    const input = { ...subjects(c), full: false };
    return describeContactPlan(await perform(world, getCaller(c), planClient, input));
  }

  function answerPlan(c: Context<HttpEnv>, { credits, text }: ContactPlan): Promise<Response> {
    // A second click opens the run of the first click instead of starting another run.
    const key = { idempotencyKey: newId(clock.now()) };
    const isFree = credits === 0;
    const button = isFree ? 'Enhance at no cost' : 'Enhance for 1 credit';
    const fields = isFree ? { ...key, wasFree: 'yes' } : key;
    return answer(c, {
      title: 'Enhance now',
      texts: [text, ...(credits === null ? [] : [ABOUT_RUN])],
      form: credits === null ? null : { action: 'enhance', button, fields },
    });
  }

  async function answer(c: Context<HttpEnv>, intended: Intended): Promise<Response> {
    const { integration, contact } = subjects(c);
    const client = findIntegration(c, application, integration);
    const { renderIntended } = await import('./contact-pages.tsx');
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderIntended(viewer, { client, crmId: contact, intended }));
  }

  function backTo(c: Context<HttpEnv>, note: keyof typeof NOTES): Response {
    const { integration, contact } = subjects(c);
    return c.redirect(`${contactHref(integration, contact)}?note=${note}`, 303);
  }
}

function subjects(c: Context<HttpEnv>): { integration: string; contact: string } {
  return { integration: c.req.param('integration') ?? '', contact: c.req.param('contact') ?? '' };
}

function toErasure(c: Context<HttpEnv>, { alsoInCrm }: { alsoInCrm: boolean }) {
  return { ...subjects(c), alsoInCrm, everywhere: false, blockUnknown: false };
}

const ABOUT_RUN =
  'An ordinary run for this contact alone does this. All rules of the settings apply, and a fresh profile is never bought again.';

/** The notes that the page can show. The address contains only the name of a note. */
const NOTES = {
  rewrite:
    'donor-sync is writing the kept values again. The history shows the run when it has finished.',
  erase: 'The erasure of this contact is confirmed.',
  eraseWaits:
    'Nothing has been erased yet: another user has to confirm the erasure, under Decisions.',
} as const;

const querySchema = z.object({
  note: z
    .custom<keyof typeof NOTES>((word) => typeof word === 'string' && Object.hasOwn(NOTES, word))
    .nullable()
    .catch(null),
});

/** The page has promised that the run costs nothing. */
const shownSchema = z.object({
  wasFree: z
    .literal('yes')
    .transform(() => true)
    .catch(false),
});

const digestSchema = z.object({ digest: z.string().catch('') });

const eraseSchema = z.object({
  alsoInCrm: z
    .literal('on')
    .transform(() => true)
    .catch(false),
});
