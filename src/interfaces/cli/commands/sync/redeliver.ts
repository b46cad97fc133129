/** `sync ID --redeliver`: profiles that were paid for come into the CRM again, after a preview. */
import type { Application, OpenIntegration } from '../../../../application.ts';
import type { RunReport } from '../../../../core/run.ts';
import { exclusionText, KEPT_OUT_TEXTS } from '../../../../fields/redelivery-view.ts';
import { describePreview, previewRequest } from '../../../../sync/redelivery/preview-request.ts';
import type { RedeliveryPreview } from '../../../../sync/redelivery/request.ts';
import { readReasons } from '../../../../sync/views/run-contacts.ts';
import { chooseIntegrations } from '../../action/integrations.ts';
import { confirmOrStop, type ProductDeps, withIntegration } from '../../action/product.ts';
import { nextSteps } from '../../action/runs.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../../terminal/output.ts';
import { describeCount, formatCount } from '../../terminal/words.ts';
import { EXIT_CODE_OF, recordStop } from './run-end.ts';
import { printRun } from './run-summary.ts';
import { syncOnce } from './sync-once.ts';

/** The options of `sync` that count for a delivery on request. */
export interface RedeliverOptions {
  /** The names of fields; all mapped ones if empty. */
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

/** Shows what would be written and what stays out, asks, and delivers. Nothing is read anew or bought. */
export async function redeliverChosen(
  deps: ProductDeps,
  application: Application,
  { ids, options, signal, output }: RedeliverCall,
): Promise<ExitCode> {
  const [integration, ...others] = chooseIntegrations(application, ids, false);
  if (integration === undefined || others.length > 0) {
    throw usageError('--redeliver is for one integration at a time: name that one.');
  }
  const only = options.contact ?? null;
  const work = async (open: OpenIntegration): Promise<ExitCode> => {
    const wanted = { integration, only, names: options.field };
    const preview = await previewRequest(open, wanted);
    const { fields } = preview;
    const document = describePreview(preview);
    printPreview(output, preview);
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

/** `Write 120 values into 60 contacts of "riverside" again, for no credit?` */
function buildQuestion({ integration, contacts, values }: RedeliveryPreview): string {
  const all = values.reduce((sum, each) => sum + each.contacts, 0);
  return `Write ${describeCount(all, 'value')} into ${describeCount(contacts, 'contact')} of "${integration}" again, for no credit?`;
}

function printPreview(output: Output, preview: RedeliveryPreview): void {
  const { integration, contacts, unchanged, values, kept, excluded } = preview;
  const what =
    contacts === 0
      ? 'there is nothing to deliver again'
      : `${describeCount(contacts, 'contact')} would get values of profiles that were paid for, for no credit`;
  output.print(`${output.style.strong(integration)}: ${what}`);
  if (unchanged > 0)
    output.print(`  ${describeCount(unchanged, 'contact')} already hold all of them`);
  if (values.length > 0) {
    output.print();
    output.table(
      [
        { header: 'Field', value: ({ field }) => field, shrinks: true },
        { header: 'Contacts', value: (each) => formatCount(each.contacts), align: 'right' },
      ],
      values,
    );
  }
  const out = [
    ...excluded.map(({ reason, contacts: count }) => ({
      what: 'all fields',
      count,
      why: exclusionText(reason),
    })),
    ...kept.map(({ field, state, contacts: count }) => ({
      what: field,
      count,
      why: KEPT_OUT_TEXTS[state],
    })),
  ];
  if (out.length > 0) {
    output.print();
    output.table(
      [
        { header: 'Stays out', value: (each) => each.what, shrinks: true },
        { header: 'Contacts', value: (each) => formatCount(each.count), align: 'right' },
        { header: 'Why', value: (each) => each.why, shrinks: true },
      ],
      out,
    );
  }
  output.print();
}
