/** Serves the page of each step, and stores the answers in its form. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import {
  type ChannelTest,
  testChannels,
  testOwnChannel,
} from '../../../clients/alerts/check-channels.ts';
import { withCrm } from '../../../clients/live-crm.ts';
import {
  type Draft,
  dropReplacedUpload,
  findSetup,
  type Setup,
  saveSetup,
  serviceAlone,
  withAddress,
  workingIntegration,
} from '../../../clients/setup/draft.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { lookAtFields } from '../../../clients/setup/setup-preview.ts';
import { SETUP_STEPS, type SetupStep, withStep } from '../../../clients/setup/steps.ts';
import { isDonorSyncError } from '../../../core/errors.ts';
import { createFields } from '../../../fields/create-fields.ts';
import { isSameOrigin } from '../../../outbound/address.ts';
import { type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { nothingHere } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES } from '../../api/request/guards.ts';
import { isSignedIn } from './crm-form.ts';
import { type Form, one, requirePublic, secretAgain } from './form-values.ts';
import { answered, requireAnswer, withAlerts } from './forms.ts';
import { finishStep } from './last-step.ts';

import { readForm, requireId, setupByUsers, type WizardContext } from './set-up-context.ts';
import { missingFor } from './steps.ts';

const stepSchema = z.enum(SETUP_STEPS);

export function addStepRoutes(app: Hono<HttpEnv>, context: WizardContext): void {
  const { deps, frame, allowed, serviceUrl, requireSetup, show } = context;
  const { conflict, refused, withOpen } = context;
  const { application, address } = deps;

  app.get('/setup/:id/:step', frame.see('admin'), async (c) => {
    const step = parseStep(c);
    const id = requireId(c);
    const isBegun = (await findSetup(application, id)) !== null;
    // Other pages link to a step. If no set-up has been started, redirects the user to the page that starts one.
    if (!isBegun && application.integrations.has(id)) return c.redirect(`/setup/${id}`, 303);
    const setup = await requireSetup(c);
    const first = missingFor(setup, step);
    if (first !== null) return c.redirect(`/setup/${setup.id}/${first}?note=first`, 303);
    return show(c, setup, step);
  });

  app.post(
    '/setup/:id/:step',
    frame.act('admin'),
    setupByUsers,
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const setup = await requireSetup(c);
      const step = parseStep(c);
      const first = missingFor(setup, step);
      if (first !== null) return c.redirect(`/setup/${setup.id}/${first}?note=first`, 303);
      const form = await readForm(c);
      try {
        // An outdated preview page would start a second trial, or store settings that the user has not seen.
        if (form['version'] !== undefined && form['version'] !== String(setup.version)) {
          return await conflict(c, step);
        }
        if (step === 'plan') return await finishStep(context, c, setup, one(form, 'do'));
        const changes =
          step === 'key'
            ? await keyAnswers(c, setup, form)
            : await answered(step, setup, form, allowed);
        if (one(form, 'do') === 'look') return await show(c, { ...setup, ...changes }, step);
        return await keep(c, setup, step, changes, one(form, 'do'));
      } catch (error) {
        if (step === 'schedule') await keepAlerts(setup, form);
        return refused(c, await requireSetup(c), step, error);
      }
    },
  );

  /** Keeps the address of a chat if another field of its form was refused, because no page shows this address again. */
  async function keepAlerts(setup: Setup, form: Form): Promise<void> {
    if (one(form, 'alertsUrl') === '') return;
    const answers = await withAlerts(setup.answers, form, allowed).catch(() => null);
    if (answers !== null) await saveSetup(application, setup, { answers });
  }

  async function keep(
    c: Context<HttpEnv>,
    setup: Setup,
    step: Exclude<SetupStep, 'plan'>,
    changes: Partial<Draft>,
    deed: string,
  ): Promise<Response> {
    // If the user must give consent in the CRM, the first step is complete only after the consent.
    const isConsent = step === 'crm' && !isSignedIn(changes);
    const done = isConsent ? {} : { done: withStep(setup.done, step) };
    const account =
      step === 'crm' && !isConsent ? await readAccountName(c, { ...setup, ...changes }) : null;
    const here = `/setup/${setup.id}/${step}`;
    if (
      !(await saveSetup(application, setup, { ...changes, ...done, ...(account && { account }) }))
    ) {
      return conflict(c, step);
    }
    if (step === 'crm') await dropReplacedUpload(application, setup, changes);
    if (step === 'schedule' && deed === 'test') {
      const answers = changes.answers ?? setup.answers;
      const own = answers.alerts;
      const fetch = application.guard.fetchFor(answers);
      const tests = await Promise.all([
        testShared(c),
        testOwnChannel(own, address.url(), fetch).then((test) => (test === null ? [] : [test])),
      ]);
      const tested = tests.flat();
      const failed = tested.filter(({ ok }) => !ok);
      if (tested.length > 0 && failed.length === 0) return c.redirect(`${here}?note=tested`, 303);
      const problem = failed
        .map(
          (test) => `${test.channel === 'email' ? 'The e-mail' : 'The webhook'}: ${test.problem}`,
        )
        .join(' ');
      return show(c, await requireSetup(c), step, problem || NOTHING_TO_TEST);
    }
    if (isConsent) return c.redirect(`/setup/${setup.id}/leave`, 303);
    if (step === 'crm') return c.redirect(`${here}?note=connected`, 303);
    if (step === 'key') return c.redirect(`${here}?note=kept`, 303);
    // The networks step sent the user back to the fields step, so the user does not answer the networks step again.
    const isReturn =
      step === 'fields' && setup.done.includes('networks') && !setup.done.includes('fields');
    const next = `/setup/${setup.id}/${after(isReturn ? 'networks' : step)}`;
    if (step === 'fields' && deed === 'create') {
      const kept = await requireSetup(c);
      await withOpen(c, workingIntegration(kept), (open) => createFields(open));
      return c.redirect(`${isReturn ? next : here}?note=created`, 303);
    }
    const { fields } = changes.answers ?? setup.answers;
    const hasNewFields = fields?.length !== setup.answers.fields?.length;
    if (hasNewFields && step === 'networks' && (await lacksFields(c))) {
      const kept = await requireSetup(c);
      const reopened = { done: kept.done.filter((one) => one !== 'fields') };
      if (!(await saveSetup(application, kept, reopened))) return conflict(c, step);
      return c.redirect(`/setup/${setup.id}/fields?note=paths`, 303);
    }
    return c.redirect(next, 303);
  }

  /**
   * Tests the channels that all clients share. Only users with access to all clients may send through the shared
   * channels.
   */
  async function testShared(c: Context<HttpEnv>): Promise<ChannelTest[]> {
    const { alerts } = application.settings;
    const hasShared = alerts.email !== null || alerts.webhook !== null;
    if (!hasShared || c.var.principal.integrations !== null) return [];
    return testChannels(alerts, address.url(), liveDeps(deps, c.get('actor')).signal);
  }

  /**
   * Returns true if some mapped fields do not exist in the CRM yet. For a CSV file, a sync creates the columns itself.
   */
  async function lacksFields(c: Context<HttpEnv>): Promise<boolean> {
    const live = liveDeps(deps, c.get('actor'));
    const integration = workingIntegration(await requireSetup(c));
    try {
      const { isFile, missing } = await lookAtFields(live, integration, integration.fields ?? []);
      return !isFile && missing.length > 0;
    } catch (error) {
      // The page of the fields step explains why the fields could not be read.
      if (isDonorSyncError(error) || live.signal.aborted) return true;
      throw error;
    }
  }

  async function keyAnswers(
    c: Context<HttpEnv>,
    setup: Setup,
    form: Form,
  ): Promise<Partial<Draft>> {
    const before = setup.answers.partner;
    const baseUrl = one(form, 'baseUrl') || serviceUrl || '';
    requireAnswer(QUESTIONS.serviceAddress, baseUrl, 'baseUrl');
    await requirePublic(allowed, baseUrl, 'baseUrl');
    const typed = one(form, 'apiKey');
    if (typed === '' && before !== undefined && !isSameOrigin(before.baseUrl, baseUrl)) {
      throw secretAgain('the address of the service', 'its key', 'apiKey');
    }
    const { serviceKey } = QUESTIONS;
    const apiKey =
      typed === '' && before !== undefined
        ? before.apiKey
        : requireAnswer(serviceKey, typed, 'apiKey');
    const partner = { shareProfiles: true, ...before, baseUrl, apiKey };
    const answers = withAddress({ ...setup.answers, partner }, before?.baseUrl, baseUrl);
    const signal = liveDeps(deps, c.get('actor')).signal;
    await withOpen(c, serviceAlone({ answers }), ({ partner: client }) =>
      client.readCredits(signal),
    );
    return { answers };
  }

  /** Returns the name of the account that the settings sign in to. The connector reports this name. */
  function readAccountName(c: Context<HttpEnv>, setup: Pick<Setup, 'answers'>): Promise<string> {
    const live = liveDeps(deps, c.get('actor'));
    return withCrm(
      live,
      workingIntegration(setup),
      async ({ connector }) => connector.account.name,
    );
  }
}

const NOTHING_TO_TEST =
  'No message was sent, because there is no e-mail address for alerts that you can test. Enter the address of a webhook first.';

function parseStep(c: Context<HttpEnv>): SetupStep {
  const step = stepSchema.safeParse(c.req.param('step'));
  if (step.success) return step.data;
  throw nothingHere();
}

function after(step: SetupStep): SetupStep {
  return SETUP_STEPS[SETUP_STEPS.indexOf(step) + 1] ?? 'plan';
}
