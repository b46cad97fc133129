/** The last step of the set-up. The last step runs a trial, shows the trial's results, and applies the settings. */
import type { Context } from 'hono';
import { acceptMatchRate } from '../../../clients/live-crm.ts';
import {
  checkedIntegration,
  type Draft,
  findSetup,
  onTrial,
  type Setup,
  saveSetup,
} from '../../../clients/setup/draft.ts';
import { storeSettings } from '../../../clients/setup/finish.ts';
import { removeSetupDraft } from '../../../clients/statements/setup-drafts.ts';
import { confirmAskedMarks } from '../../../contacts/many-at-once/mark-questions.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import type { WizardContext } from './set-up-context.ts';

/**
 * Handles the buttons of the last page. Each button stores the settings in the same way as `apply`, and then requests a
 * run.
 */
export async function finishStep(
  context: WizardContext,
  c: Context<HttpEnv>,
  setup: Setup,
  deed: string,
): Promise<Response> {
  const { deps } = context;
  const { application, runner } = deps;
  const { id } = setup;
  const integration = await checkedIntegration(application, setup);
  const by = c.get('actor');
  if (deed === 'trial' && setup.isNew) {
    const stored = await store(context, c, setup, onTrial(integration));
    const { runId } = await runner.request({ integrationId: id, trigger: 'manual', by });
    await saveLatest(application, id, { stored, trialRun: runId });
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
  await store(context, c, setup, integration);
  await application.store.act((trx) => removeSetupDraft(trx, id, 'finished'));
  if (deed !== 'rest') return c.redirect(`/setup/${id}?note=stored`, 303);
  const { runId } = await runner.request({ integrationId: id, trigger: 'manual', by });
  return c.redirect(`/runs/${runId}`, 303);
}

async function store(
  { deps, acting }: WizardContext,
  c: Context<HttpEnv>,
  setup: Setup,
  integration: Integration,
): Promise<string> {
  const stored = await storeSettings(acting(c), setup, integration);
  // Records in the set-up which settings are in the database, even if the next action fails.
  await saveLatest(deps.application, setup.id, { stored });
  await (deps.takeUp ?? deps.application.refresh)();
  return stored;
}

async function saveLatest(
  application: HttpDeps['application'],
  id: string,
  changes: Partial<Draft>,
): Promise<void> {
  const latest = await findSetup(application, id);
  if (latest !== null) await saveSetup(application, latest, changes);
}

function untried(): ConfigurationError {
  return new ConfigurationError(
    'A few contacts are tried and checked before the others are sent.',
    {
      code: 'setup_untried',
    },
  );
}
