/** The set-up of a client, step by step; each step is a page of its own, which works without a script. */

import { readFile } from 'node:fs/promises';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { testOwnChannel } from '../../../clients/alerts/check-channels.ts';
import { acceptMatchRate, withCrm } from '../../../clients/live-crm.ts';
import {
  beginChange,
  beginSetup,
  checkedIntegration,
  type Draft,
  dropSetup,
  findSetup,
  listSetups,
  onTrial,
  type Setup,
  saveSetup,
  serviceAlone,
  withAddress,
  workingIntegration,
} from '../../../clients/setup/draft.ts';
import { PREVIEW_BYTES, previewFile } from '../../../clients/setup/dropped-file.ts';
import { ofTheFile, storeSettings } from '../../../clients/setup/finish.ts';
import { nextStep, SETUP_STEPS, type SetupStep, withStep } from '../../../clients/setup/steps.ts';
import {
  dropUpload,
  isUpload,
  MAX_UPLOAD_BYTES,
  takeUpload,
} from '../../../clients/setup/uploads.ts';
import { removeSetupDraft } from '../../../clients/statements/setup-drafts.ts';
import { confirmAskedMarks } from '../../../contacts/many-at-once/mark-questions.ts';
import { ConfigurationError, isDonorSyncError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { createFields } from '../../../fields/create-fields.ts';
import { isSameOrigin } from '../../../outbound/address.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { wayBackUrl } from '../../api/oauth.ts';
import {
  filterAccessible,
  hasAccess,
  listAccessible,
  requireAllClients,
} from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { HttpError } from '../../api/request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES } from '../../api/request/guards.ts';
import { publicAddress } from '../../api/webhooks/hook-address.ts';
import type { PageFrame } from '../frame/page-app.ts';
import {
  type Allowed,
  answered,
  CONNECTABLE,
  cleared,
  type Form,
  getApp,
  isSignedIn,
  one,
  requireSameKind,
} from './forms.ts';
import { missingFor, readStep } from './steps.ts';

const stepSchema = z.enum(SETUP_STEPS);

/** What can be said on the next page: only these words, whatever the address has. */
const NOTES: Readonly<Record<string, string>> = {
  connected: 'The account is connected.',
  file: 'The file was taken. Now say which columns make a person.',
  kept: 'Kept, encrypted. No page shows the key again.',
  paths: 'Networks bring warm paths, which have fields of their own: look whether they are there.',
  created: 'The fields are there now.',
  dropped: 'The set-up was dropped.',
  stored: 'The settings were stored. They count from now on.',
  first: 'Do this step first.',
  elsewhere: 'This set-up was changed in another window meanwhile. Look again: nothing was lost.',
  accepted: 'The match rate is accepted.',
  acceptedMarks: 'The marks are confirmed.',
  tested: 'The test message was taken: look whether it is in the chat.',
};

/** A form with a file has some words besides. */
const limitUpload = limitBody(MAX_UPLOAD_BYTES + MAX_API_BODY_BYTES);

/** Refuses larger files before they are read. */
const limitFile: MiddlewareHandler<HttpEnv> = async (c, next) => {
  try {
    return await limitUpload(c, next);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 413) throw error;
    const message =
      'A file may have 20 MB at most. Who looks after this machine puts a larger one there, and names it in donor-sync.yaml.';
    throw new HttpError(413, 'body_too_large', message);
  }
};

export function wizardRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, publicUrl, runner, clock } = deps;
  const { settings } = application;
  const app = frame.room();
  const allowed: Allowed = { guard: application.guard, apps: settings.setup };
  const serviceUrl = settings.setup.service ?? application.setup.serviceUrl;
  const ofFile = new Set(settings.integrations.map(({ id }) => id));

  app.get('/setup', frame.see('admin'), async (c) => {
    const setups = filterAccessible(c, await listSetups(application), ({ id }) => id);
    const find = (c.req.query('find') ?? '').trim().slice(0, MAX_NAME_LENGTH);
    const found = [...listAccessible(c, application).values()].filter(({ id, name = id }) =>
      `${id} ${name}`.toLowerCase().includes(find.toLowerCase()),
    );
    const integrations = found.slice(0, MOST_LISTED);
    const { renderStart } = await import('./setup-pages.tsx');
    return c.html(
      renderStart(frame.getViewer(c.var.principal), {
        setups,
        find,
        more: found.length - integrations.length,
        integrations: integrations.map((each) => ({
          id: each.id,
          name: each.name ?? each.id,
          kind: each.crm.kind,
          isOfFile: ofFile.has(each.id),
        })),
        note: getNote(c),
      }),
    );
  });

  app.post('/setup', frame.act('admin'), limitBody(MAX_API_BODY_BYTES), async (c) => {
    requireAllClients(c);
    const name = one(await readForm(c), 'name').slice(0, MAX_NAME_LENGTH);
    if (name === '') throw new HttpError(422, 'name_missing', 'Write the name of the client.');
    const id = await beginSetup(acting(c), name);
    return c.redirect(`/setup/${id}/crm`, 303);
  });

  app.get('/setup/:id', frame.see('admin'), async (c) => {
    const id = requireId(c);
    const setup = await findSetup(application, id);
    if (setup !== null) return c.redirect(`/setup/${id}/${nextStep(setup)}`, 303);
    const integration = application.integrations.get(id);
    if (integration === undefined) throw unknown(id);
    const { renderPresent } = await import('./setup-pages.tsx');
    const results = integration.crm['output'] ?? integration.crm['path'];
    return c.html(
      renderPresent(frame.getViewer(c.var.principal), {
        integration,
        isOfFile: ofFile.has(id),
        hasResults: integration.crm.kind === 'csv' && isUpload(settings, results),
        note: getNote(c),
      }),
    );
  });

  app.post('/setup/:id/change', frame.act('admin'), async (c) => {
    const id = requireId(c);
    const integration = application.integrations.get(id);
    if (integration === undefined) throw unknown(id);
    if (ofFile.has(id)) throw ofTheFile(id);
    await beginChange(acting(c), integration);
    return c.redirect(`/setup/${id}/schedule`, 303);
  });

  app.post('/setup/:id/drop', frame.act('admin'), async (c) => {
    const { id } = await requireSetup(c);
    await dropSetup(acting(c), id);
    return c.redirect('/setup?note=dropped', 303);
  });

  /** Forms may not lead to another site, so that a page of ours does. */
  app.get('/setup/:id/leave', frame.see('admin'), async (c) => {
    const setup = await requireSetup(c);
    const { kind } = getApp(setup);
    if (kind !== 'salesforce' && kind !== 'hubspot')
      return c.redirect(`/setup/${setup.id}/crm`, 303);
    const { renderLeave } = await import('./setup-pages.tsx');
    const href = `/oauth/${kind}/start?integration=${setup.id}`;
    return c.html(
      renderLeave(frame.getViewer(c.var.principal), { crm: CONNECTABLE[kind].name, href }),
    );
  });

  app.post('/setup/:id/file', frame.act('admin'), limitFile, async (c) => {
    const setup = await requireSetup(c);
    try {
      const form = await readForm(c);
      const { file } = form;
      if (!(file instanceof File) || file.size === 0) throw noFile();
      requireSameKind(setup, 'csv');
      const content = new Uint8Array(await file.arrayBuffer());
      const sheet = one(form, 'sheet') || null;
      const answers = await fileAnswers(setup, { content, name: file.name, sheet });
      const saved = await saveSetup(application, setup, answers);
      // Of two files that are not in use yet the one that no set-up names is taken away.
      await dropReplaced(saved ? setup : answers, saved ? answers : setup);
      return c.redirect(
        `/setup/${setup.id}/${saved ? 'people?note=file' : 'crm?note=elsewhere'}`,
        303,
      );
    } catch (error) {
      return refused(c, setup, 'crm', error);
    }
  });

  /** What a file is about to be taken for; nothing of it is kept. */
  app.post('/setup/:id/preview', frame.act('admin'), limitBody(PREVIEW_BYTES), async (c) => {
    await requireSetup(c);
    const preview = await previewFile(Buffer.from(await c.req.arrayBuffer()));
    const { renderPreview } = await import('./setup-pages.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(await renderPreview(preview));
  });

  /** The file of the results, which names people. */
  app.get('/setup/:id/results', frame.see('admin'), async (c) => {
    const integration = application.integrations.get(requireId(c));
    const file = integration?.crm['output'] ?? integration?.crm['path'];
    if (!isUpload(settings, file))
      throw new HttpError(404, 'not_found', 'There are no results here.');
    await noteNames(c, requireId(c));
    const content = await readFile(file).catch(() => null);
    if (content === null) {
      throw new HttpError(
        404,
        'not_found',
        'No results were written yet: they come with the first run.',
      );
    }
    c.header('Content-Disposition', `attachment; filename="${requireId(c)}-results.csv"`);
    c.header('Content-Type', 'text/csv; charset=utf-8');
    return c.body(content);
  });

  app.get('/setup/:id/:step', frame.see('admin'), async (c) => {
    const step = parseStep(c);
    const id = requireId(c);
    const isBegun = (await findSetup(application, id)) !== null;
    // Other pages lead to a step; where no change is begun, it begins on the page of the settings.
    if (!isBegun && application.integrations.has(id)) return c.redirect(`/setup/${id}`, 303);
    const setup = await requireSetup(c);
    const first = missingFor(setup, step);
    if (first !== null) return c.redirect(`/setup/${setup.id}/${first}?note=first`, 303);
    return show(c, setup, step);
  });

  app.post('/setup/:id/:step', frame.act('admin'), limitBody(MAX_API_BODY_BYTES), async (c) => {
    const setup = await requireSetup(c);
    const step = parseStep(c);
    const first = missingFor(setup, step);
    if (first !== null) return c.redirect(`/setup/${setup.id}/${first}?note=first`, 303);
    try {
      const form = await readForm(c);
      if (step === 'plan') return await act(c, setup, one(form, 'do'));
      if (form['version'] !== undefined && form['version'] !== String(setup.version)) {
        return c.redirect(`/setup/${setup.id}/${step}?note=elsewhere`, 303);
      }
      const changes =
        step === 'key'
          ? await keyAnswers(c, setup, form)
          : await answered(step, setup, form, allowed);
      if (one(form, 'do') === 'look') return await show(c, { ...setup, ...changes }, step);
      return await keep(c, setup, step, changes, one(form, 'do'));
    } catch (error) {
      return refused(c, setup, step, error);
    }
  });
  return app;

  async function keep(
    c: Context<HttpEnv>,
    setup: Setup,
    step: Exclude<SetupStep, 'plan'>,
    changes: Partial<Draft>,
    deed: string,
  ): Promise<Response> {
    // The consent itself is what does the first step, where one is needed.
    const isConsent = step === 'crm' && !isSignedIn(changes);
    const done = isConsent ? {} : { done: withStep(setup.done, step) };
    const account =
      step === 'crm' && !isConsent ? await readAccountName(c, { ...setup, ...changes }) : null;
    const here = `/setup/${setup.id}/${step}`;
    if (
      !(await saveSetup(application, setup, { ...changes, ...done, ...(account && { account }) }))
    ) {
      return c.redirect(`${here}?note=elsewhere`, 303);
    }
    if (step === 'schedule' && deed === 'test') {
      const answers = changes.answers ?? setup.answers;
      const own = answers.alerts;
      const trial = await testOwnChannel(own, publicUrl, application.guard.fetchFor(answers));
      if (trial?.ok) return c.redirect(`${here}?note=tested`, 303);
      const problem = trial?.problem ?? 'Write the address of a webhook first.';
      return show(c, await requireSetup(c), step, problem);
    }
    if (isConsent) return c.redirect(`/setup/${setup.id}/leave`, 303);
    if (step === 'crm') return c.redirect(`${here}?note=connected`, 303);
    if (step === 'key') return c.redirect(`${here}?note=kept`, 303);
    if (step === 'fields' && deed === 'create') {
      const kept = await requireSetup(c);
      await withOpen(c, workingIntegration(kept), (open) => createFields(open));
      return c.redirect(`${here}?note=created`, 303);
    }
    const { fields } = changes.answers ?? setup.answers;
    if (fields?.length !== setup.answers.fields?.length && step === 'networks') {
      return c.redirect(`/setup/${setup.id}/fields?note=paths`, 303);
    }
    return c.redirect(`/setup/${setup.id}/${after(step)}`, 303);
  }

  /** What the buttons of the last page do: each stores what `apply` would, and then asks for a run. */
  async function act(c: Context<HttpEnv>, setup: Setup, deed: string): Promise<Response> {
    const { id } = setup;
    const integration = await checkedIntegration(application, setup);
    const by = c.get('actor');
    if (deed === 'trial' && setup.isNew) {
      const stored = await store(c, setup, onTrial(integration));
      const { runId } = await runner.request({ integrationId: id, trigger: 'manual', by });
      await saveLatest(id, { stored, trialRun: runId });
      return c.redirect(`/setup/${id}/plan`, 303);
    }
    if (deed === 'accept' && setup.trialRun !== null) {
      await acceptMatchRate(liveDeps(deps, by), onTrial(integration));
      return c.redirect(`/setup/${id}/plan?note=accepted`, 303);
    }
    if (deed === 'acceptMarks' && setup.trialRun !== null) {
      await liveDeps(deps, by).application.store.act((trx) => confirmAskedMarks(trx, id));
      return c.redirect(`/setup/${id}/plan?note=acceptedMarks`, 303);
    }
    const isTried = !setup.isNew || setup.trialRun !== null;
    if (!isTried || !['rest', 'finish', 'save'].includes(deed)) throw untried();
    await store(c, setup, integration);
    await application.store.act((trx) => removeSetupDraft(trx, id, 'finished'));
    if (deed !== 'rest') return c.redirect(`/setup/${id}?note=stored`, 303);
    const { runId } = await runner.request({ integrationId: id, trigger: 'manual', by });
    return c.redirect(`/runs/${runId}`, 303);
  }

  async function store(
    c: Context<HttpEnv>,
    setup: Setup,
    integration: Integration,
  ): Promise<string> {
    const stored = await storeSettings(acting(c), setup, integration);
    // Even if the next step fails: what is in the database is known.
    await saveLatest(setup.id, { stored });
    await (deps.takeUp ?? application.refresh)();
    return stored;
  }

  async function saveLatest(id: string, changes: Partial<Draft>): Promise<void> {
    const latest = await findSetup(application, id);
    if (latest !== null) await saveSetup(application, latest, changes);
  }

  async function show(
    c: Context<HttpEnv>,
    setup: Setup,
    step: SetupStep,
    problem: string | null = null,
  ): Promise<Response> {
    const live = liveDeps(deps, c.get('actor'));
    if (NAMES_SHOWN.has(step)) await noteNames(c, setup.id);
    const shown = await readStep(step, { ...live, setup: application, now: clock.now() }, setup);
    const { renderStep } = await import('./setup-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const page = await renderStep(frame.getViewer(c.var.principal), {
      setup,
      problem,
      serviceUrl,
      note: getNote(c),
      shown,
      apps: settings.setup,
      alerts: settings.alerts,
      callbacks: {
        salesforce: publicAddress(publicUrl, '/oauth/salesforce/callback'),
        hubspot: publicAddress(await wayBackUrl(publicUrl, 'hubspot'), '/oauth/hubspot/callback'),
      },
    });
    return c.html(page, problem === null ? 200 : 422);
  }

  /** A mistake is said on the page where it can be put right. */
  async function refused(
    c: Context<HttpEnv>,
    setup: Setup,
    step: SetupStep,
    error: unknown,
  ): Promise<Response> {
    if (!isDonorSyncError(error)) throw error;
    return show(c, setup, step, error.message);
  }

  async function keyAnswers(
    c: Context<HttpEnv>,
    setup: Setup,
    form: Form,
  ): Promise<Partial<Draft>> {
    const before = setup.answers.partner;
    const baseUrl = one(form, 'baseUrl') || serviceUrl || '';
    if (baseUrl === '') throw missing('the address of the service');
    await allowed.guard.requirePublic(baseUrl);
    const typed = one(form, 'apiKey');
    if (typed === '' && before !== undefined && !isSameOrigin(before.baseUrl, baseUrl)) {
      throw new ConfigurationError(
        'The address of the service has changed, so its key is asked for again: it is sent nowhere that it was not given for.',
        { code: 'setup_secret_again' },
      );
    }
    const apiKey = typed || before?.apiKey;
    if (apiKey === undefined) throw missing('the key of the service');
    const partner = { shareProfiles: true, ...before, baseUrl, apiKey };
    const answers = withAddress({ ...setup.answers, partner }, before?.baseUrl, baseUrl);
    const signal = liveDeps(deps, c.get('actor')).signal;
    await withOpen(c, serviceAlone({ answers }), ({ partner: client }) =>
      client.readCredits(signal),
    );
    return { answers };
  }

  /** The file of answers that count no more, unless those that do name it as well. */
  async function dropReplaced(gone: Partial<Draft>, kept: Partial<Draft>): Promise<void> {
    const path = gone.answers?.crm?.['path'];
    const stored = application.integrations.get(gone.answers?.id ?? '')?.crm['path'];
    if (typeof path !== 'string' || path === stored || path === kept.answers?.crm?.['path']) return;
    await dropUpload(settings, path);
  }

  async function fileAnswers(
    setup: Setup,
    { content, name, sheet }: { content: Uint8Array; name: string; sheet: string | null },
  ): Promise<Partial<Draft>> {
    const { answers, stored } = setup;
    const before = answers.crm?.kind === 'csv' ? answers.crm : null;
    const path = before?.['path'];
    // An account is its path: what is known of these contacts hangs on it.
    const isPinned = stored !== null && before !== null;
    if (isPinned && !isUpload(settings, path)) throw notOurs();
    const replaced = isPinned && isUpload(settings, path) ? path : null;
    const upload = await takeUpload(settings, content, { replaced, sheet });
    const { header, guess } = upload;
    const names =
      guess.fullName === null
        ? { firstName: guess.firstName ?? undefined, lastName: guess.lastName ?? undefined }
        : { fullName: guess.fullName };
    const { addresses, employers } = guess;
    const columns = { id: guess.id ?? undefined, ...names, addresses, employers };
    const crm = {
      kind: 'csv',
      path: upload.path,
      output: upload.output,
      encoding: header.encoding,
      columns,
    };
    const marks = {
      optOutField: guess.optOut,
      deceasedField: guess.deceased,
      doNotContactField: guess.doNotContact,
    };
    const others = cleared(answers, 'csv');
    const kept = isPinned ? { ...others, crm: { ...before, encoding: header.encoding } } : null;
    const fresh = { ...others, crm, contacts: { ...others.contacts, ...marks } };
    const done = setup.done.filter((step) => step !== 'people' && step !== 'crm');
    return {
      answers: kept ?? fresh,
      account: null,
      fileName: name.slice(0, MAX_NAME_LENGTH),
      done: withStep(isPinned ? setup.done : done, 'crm'),
    };
  }

  async function withOpen<Result>(
    c: Context<HttpEnv>,
    integration: Integration,
    work: (open: Awaited<ReturnType<typeof application.open>>) => Promise<Result>,
  ): Promise<Result> {
    const live = liveDeps(deps, c.get('actor'));
    const open = await application.open(integration, live.signal);
    try {
      return await work(open);
    } finally {
      await open.close();
    }
  }

  /** The account that the settings sign in to, by what they hold. */
  function readAccountName(c: Context<HttpEnv>, setup: Pick<Setup, 'answers'>): Promise<string> {
    const live = liveDeps(deps, c.get('actor'));
    return withCrm(
      live,
      workingIntegration(setup),
      async ({ connector }) => connector.account.name,
    );
  }

  function acting(c: Context<HttpEnv>) {
    return { ...application, store: application.store.actingAs(c.get('actor')) };
  }

  async function noteNames(c: Context<HttpEnv>, integrationId: string): Promise<void> {
    await noteEntries(acting(c).store.act, [{ action: 'names.shown', integrationId }]);
  }

  async function requireSetup(c: Context<HttpEnv>): Promise<Setup> {
    const id = requireId(c);
    const setup = await findSetup(application, id);
    if (setup === null) throw unknown(id);
    if (ofFile.has(id)) throw ofTheFile(id);
    return setup;
  }
}

/** The pages that show names and values of the CRM. */
const NAMES_SHOWN: ReadonlySet<SetupStep> = new Set(['people', 'fields', 'plan']);

/** Clients on the first page; others are searched for. */
const MOST_LISTED = 200;

/** Longer names are no names. */
const MAX_NAME_LENGTH = 120;

function requireId(c: Context<HttpEnv>): string {
  const id = c.req.param('id') ?? '';
  if (hasAccess(c, id)) return id;
  throw unknown(id);
}

function parseStep(c: Context<HttpEnv>): SetupStep {
  const step = stepSchema.safeParse(c.req.param('step'));
  if (step.success) return step.data;
  throw new HttpError(404, 'not_found', 'There is nothing here.');
}

function after(step: SetupStep): SetupStep {
  return SETUP_STEPS[SETUP_STEPS.indexOf(step) + 1] ?? 'plan';
}

function getNote(c: Context<HttpEnv>): string | null {
  const word = c.req.query('note') ?? '';
  return Object.hasOwn(NOTES, word) ? (NOTES[word] ?? null) : null;
}

async function readForm(c: Context<HttpEnv>): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody({ all: true });
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw new HttpError(400, 'body_unreadable', 'The body cannot be read as a form.');
    }
    throw cause;
  }
}

function unknown(id: string): HttpError {
  return new HttpError(404, 'integration_unknown', `There is no set-up of "${id}".`);
}

function noFile(): ConfigurationError {
  return new ConfigurationError('Choose a CSV file first.', { code: 'setup_answer_missing' });
}

function missing(what: string): ConfigurationError {
  return new ConfigurationError(`Write ${what}.`, { code: 'setup_answer_missing' });
}

function notOurs(): ConfigurationError {
  return new ConfigurationError(
    'The file of this client was named by the operator: file paths belong to donor-sync.yaml, and what it has is replaced on the machine itself.',
    { code: 'setup_path_refused' },
  );
}

function untried(): ConfigurationError {
  return new ConfigurationError(
    'A few contacts are tried first, and looked at, before the others are sent.',
    {
      code: 'setup_untried',
    },
  );
}
