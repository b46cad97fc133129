/** Provides the parts that all set-up routes share: the user, the set-up, and the page. */
import type { Context } from 'hono';
import { listRemoteCrms } from '../../../../connectors/index.ts';
import { findSetup, type Setup } from '../../../clients/setup/draft.ts';
import { ofTheFile } from '../../../clients/setup/finish.ts';
import type { SetupStep } from '../../../clients/setup/steps.ts';
import { type ConfigurationError, isDonorSyncError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { publicAddress } from '../../../core/public-address.ts';
import { unknownClient } from '../../../core/shared-errors.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { wayBackUrl } from '../../api/oauth.ts';
import { usersOnly } from '../../api/request/caller.ts';
import { hasAccess } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { bodyUnreadable } from '../../api/request/errors.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { noteField } from '../frame/refused-forms.ts';
import type { Allowed } from './form-values.ts';
import { readStep } from './steps.ts';

/**
 * Refuses access tokens in every form of the set-up. The forms can change hosts, and an access token must not change a
 * host.
 */
export const setupByUsers = usersOnly('apply FILE');

export interface WizardContext {
  deps: HttpDeps;
  frame: PageFrame;
  /** The rules for addresses and accounts in a form. */
  allowed: Allowed;
  /** The service's address, if the operator has set it. */
  serviceUrl: string | null;
  /** The clients of the settings file, which pages cannot change. */
  ofFile: ReadonlySet<string>;
  acting(c: Context<HttpEnv>): HttpDeps['application'];
  /** Records in the audit that the page shows names. */
  noteNames(c: Context<HttpEnv>, integrationId: string): Promise<void>;
  /**
   * Returns the set-up that the address names. Throws an HttpError (404) if it does not exist or the user has no access
   * to it.
   */
  requireSetup(c: Context<HttpEnv>): Promise<Setup>;
  /** Responds with the page of a step. If the page shows a problem, the status is 422. */
  show(
    c: Context<HttpEnv>,
    setup: Setup,
    step: SetupStep,
    problem?: string | null,
  ): Promise<Response>;
  /** Responds with the same page if the user can correct the error. Throws all other errors again. */
  refused(c: Context<HttpEnv>, setup: Setup, step: SetupStep, error: unknown): Promise<Response>;
  /**
   * Responds if the user has saved the step in a different window. Shows the saved step together with the typed values.
   */
  conflict(c: Context<HttpEnv>, step: SetupStep): Promise<Response>;
  /** Opens the CRM and the service for a task. */
  withOpen<Result>(
    c: Context<HttpEnv>,
    integration: Integration,
    work: (open: Awaited<ReturnType<HttpDeps['application']['open']>>) => Promise<Result>,
  ): Promise<Result>;
}

export function createWizardContext(deps: HttpDeps, frame: PageFrame): WizardContext {
  const { application, address, clock } = deps;
  const { settings } = application;
  const allowed: Allowed = { guard: application.guard, apps: settings.setup.apps };
  const serviceUrl = settings.setup.service ?? application.setup.serviceUrl;
  const ofFile = new Set(settings.integrations.map(({ id }) => id));
  return {
    deps,
    frame,
    allowed,
    serviceUrl,
    ofFile,
    acting,
    noteNames,
    requireSetup,
    show,
    refused,
    conflict,
    withOpen,
  };

  async function show(
    c: Context<HttpEnv>,
    setup: Setup,
    step: SetupStep,
    problem: string | null = null,
  ): Promise<Response> {
    const live = liveDeps(deps, c.get('actor'));
    if (NAMES_SHOWN.has(step)) await noteNames(c, setup.id);
    const stepDeps = { ...live, setup: application, now: clock.now() };
    // If the service rejected a new key, the balance of the stored key would be misleading.
    const shown =
      step === 'key' && problem !== null
        ? { step, view: { balances: null }, trouble: null }
        : await readStep(step, stepDeps, setup);
    const { renderStep } = await import('./setup-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const page = await renderStep(frame.getViewer(c.var.principal), {
      setup,
      problem,
      serviceUrl,
      note: getNote(c),
      shown,
      apps: settings.setup.apps,
      alerts: settings.alerts,
      callbacks: step === 'crm' ? await findCallbacks() : new Map(),
    });
    return c.html(page, problem === null ? 200 : 422);
  }

  async function findCallbacks(): Promise<ReadonlyMap<string, string>> {
    const callbacks = new Map<string, string>();
    for (const { kind, setup } of listRemoteCrms()) {
      if (!setup.signIns.some(({ isConsent }) => isConsent)) continue;
      const url = await wayBackUrl(address.url(), kind);
      callbacks.set(kind, publicAddress(url, `/oauth/${kind}/callback`));
    }
    return callbacks;
  }

  /** Shows an error on the page on which the user can correct it. */
  async function refused(
    c: Context<HttpEnv>,
    setup: Setup,
    step: SetupStep,
    error: unknown,
  ): Promise<Response> {
    if (!isDonorSyncError(error)) throw error;
    noteField(c, error);
    return show(c, setup, step, error.message);
  }

  async function conflict(c: Context<HttpEnv>, step: SetupStep): Promise<Response> {
    const problem = step === 'plan' ? PLAN_CHANGED : CHANGED_ELSEWHERE;
    const page = await show(c, await requireSetup(c), step, problem);
    return new Response(page.body, { status: 409, headers: page.headers });
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

/** Notes for the next page. The page's address contains only the name of a note, never its text. */
const NOTES: Readonly<Record<string, string>> = {
  connected: 'The account is connected.',
  file: 'The file was accepted. Now choose the columns that describe a person.',
  kept: 'The key is stored encrypted. No page shows it again.',
  fileFirst: 'The file was saved. Enter the service key next, then choose the columns.',
  paths:
    'The network is saved. Its warm paths are written to separate fields, and some of these fields do not exist in the CRM yet. Create them, or continue without them.',
  created: 'The fields exist now.',
  dropped: 'The set-up was discarded.',
  stored: 'The settings were saved. They apply from now on.',
  first: 'Do this step first.',
  accepted: 'The match rate is accepted.',
  acceptedMarks: 'The marks are confirmed.',
  tested: 'The test message was accepted. Check that it arrived by e-mail or in the chat.',
};

const CHANGED_ELSEWHERE =
  'This step was saved in another window after you opened it, so your changes were not saved. Your values are still in the form, with the saved value next to each one that differs. Save again to use yours.';

const PLAN_CHANGED =
  'The set-up was continued in another window since you opened this page, so nothing was stored and nothing was started. This is the plan as it is now.';

/** The pages that show names and values from the CRM. */
const NAMES_SHOWN: ReadonlySet<SetupStep> = new Set(['people', 'fields', 'plan']);

/** The maximum length of a client's name. */
export const MAX_NAME_LENGTH = 120;

export function requireId(c: Context<HttpEnv>): string {
  const id = c.req.param('id') ?? '';
  if (hasAccess(c, id)) return id;
  throw unknown(id);
}

export function getNote(c: Context<HttpEnv>): string | null {
  const word = c.req.query('note') ?? '';
  return Object.hasOwn(NOTES, word) ? (NOTES[word] ?? null) : null;
}

export async function readForm(c: Context<HttpEnv>): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody({ all: true });
  } catch (cause) {
    if (cause instanceof TypeError) throw bodyUnreadable('a form');
    throw cause;
  }
}

export function unknown(id: string): ConfigurationError {
  return unknownClient(id);
}
