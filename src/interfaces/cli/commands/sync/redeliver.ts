/** Writes paid profiles into the CRM again, after showing a preview. */
import type { Application, OpenIntegration } from '../../../../application.ts';
import type { RunReport } from '../../../../core/run.ts';
import { previewRedelivery } from '../../../../operations/redeliver.ts';
import { describePreview, previewRequest } from '../../../../sync/redelivery/preview-request.ts';
import type { RedeliveryPreview } from '../../../../sync/redelivery/request.ts';
import { nextSteps } from '../../../../sync/views/next-steps.ts';
import { readReasons } from '../../../../sync/views/run-contacts.ts';
import { chooseIntegrations } from '../../action/integrations.ts';
import { printResult } from '../../action/operation-output.ts';
import { confirmOrStop, type ProductDeps, withIntegration } from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import { EXIT_CODE_OF, recordStop } from './run-end.ts';
import { printRun } from './run-summary.ts';
import { syncOnce } from './sync-once.ts';

/** The options of `sync` that apply to a redelivery. */
export interface RedeliverOptions {
  /** The names of the fields. Empty for all mapped fields. */
  field: readonly string[];
  contact?: string | undefined;
  yes: boolean;
}

interface RedeliverCall {
  ids: string[];
  options: RedeliverOptions;
  signal: AbortSignal;
  output: Output;
}

/** Shows the effects, asks the user, and delivers. Buys no profiles. */
export async function redeliverChosen(
  deps: ProductDeps,
  application: Application,
  { ids, options, signal, output }: RedeliverCall,
): Promise<ExitCode> {
  const [integration, ...others] = chooseIntegrations(application, ids, false);
  if (integration === undefined || others.length > 0) {
    throw usageError('--redeliver works for one client at a time. Name that client.');
  }
  const only = options.contact ?? null;
  const work = async (open: OpenIntegration): Promise<ExitCode> => {
    const wanted = { integration, only, names: options.field };
    const preview = await previewRequest(open, wanted);
    const { fields } = preview;
    const document = describePreview(preview);
    printResult(output, previewRedelivery, { redelivery: document }, deps.clock.now());
    output.print();
    if (preview.contacts === 0) {
      output.finish({ redelivery: document, runs: [] }, () => {});
      return EXIT_CODES.done;
    }
    await confirmOrStop(deps, buildQuestion(preview), options.yes, { redelivery: document });
    const report = await syncOnce(deps, open, signal, { only, redelivery: { fields } });
    await finish(output, open, { report, document });
    return EXIT_CODE_OF[report.status];
  };
  return withIntegration(application, integration, work, signal);
}

async function finish(
  output: Output,
  { deps: { store } }: OpenIntegration,
  { report, document }: { report: RunReport; document: unknown },
): Promise<void> {
  printRun(output, report, {
    reasons: await readReasons(store.reader, report.id),
    steps: nextSteps(report),
  });
  output.finish({ redelivery: document, runs: [report] }, () => {});
  recordStop(output, report);
}

/** Returns a question such as `Write 120 values to 60 contacts of "riverside" again? This costs nothing.`. */
function buildQuestion({ integration, contacts, values }: RedeliveryPreview): string {
  const all = values.reduce((sum, each) => sum + each.contacts, 0);
  return `Write ${describeCount(all, 'value')} to ${describeCount(contacts, 'contact')} of "${integration}" again? This costs nothing.`;
}
