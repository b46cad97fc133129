import type { Command } from 'commander';
import type { AccountFact, Connector } from '../../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../../application.ts';
import { countContactWork } from '../../../../contacts/contacts.ts';
import { listOpenQuestions } from '../../../../decisions/statements/questions.ts';
import type { ProductDeps } from '../../action/product.ts';
import { formatTimestamp } from '../../terminal/words.ts';
import type { IntegrationFacts, ReportContent } from './report.ts';

/** The data that a report contains in addition to the findings. The data is read while the clients are open. */
export interface ReportFacts {
  read(open: OpenIntegration): Promise<void>;
  all(): Omit<ReportContent, 'findings'>;
}

/** Creates the function that reads the data, one integration after the other. */
export function createReportFacts(
  { clock }: Pick<ProductDeps, 'clock'>,
  command: Command,
): ReportFacts {
  const integrations: IntegrationFacts[] = [];
  return {
    async read(open) {
      integrations.push(await integrationFacts(open));
    },
    all: () => ({
      madeAt: formatTimestamp(clock.now()),
      installation: [
        { name: 'donor-sync', value: command.parent?.version() ?? 'unknown' },
        { name: 'Node', value: process.version },
        { name: 'platform', value: `${process.platform} ${process.arch}` },
      ],
      integrations,
    }),
  };
}

async function integrationFacts({
  integration,
  deps,
  mappings,
}: OpenIntegration): Promise<IntegrationFacts> {
  const { id, crm, networks } = integration;
  const { store } = deps;
  const work = await countContactWork(store.reader, id);
  const held = await listOpenQuestions(store.reader, id, 'contact');
  return {
    id,
    kind: crm.kind,
    facts: [
      ...(await crmFacts(deps.openConnector)),
      { name: 'mapped fields', value: mappings.length },
      { name: 'groups', value: networks.length },
      { name: 'contacts due', value: work.due },
      { name: 'contacts submitted', value: work.submitted },
      { name: 'contacts ready', value: work.ready },
      { name: 'decisions that wait', value: held.length },
    ],
  };
}

/** Returns the data about the CRM. Empty if the CRM is unavailable, which the findings explain. */
async function crmFacts(
  openConnector: OpenIntegration['deps']['openConnector'],
): Promise<AccountFact[]> {
  try {
    const connector = await openConnector(null);
    const facts = (await connector.readFacts?.()) ?? [];
    return [...facts, ...(await limitFacts(connector))];
  } catch {
    return [{ name: 'account', value: 'could not be read' }];
  }
}

async function limitFacts(connector: Connector): Promise<AccountFact[]> {
  const limits = await connector.readLimits();
  if (limits === null) return [{ name: 'requests left', value: 'no limit is known' }];
  const { max, remaining } = limits.daily;
  return [
    { name: 'requests left', value: remaining },
    { name: 'requests a day', value: max },
  ];
}
