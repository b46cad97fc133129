import { withCrm } from '../crm.ts';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';

export const salesforce: Scenario = {
  name: 'salesforce',
  title: 'the Salesforce connector alone: 100,000 contacts, 5 ms for each request',
  measure: measureSalesforce,
};

async function measureSalesforce(): Promise<Figure[]> {
  return withCrm('salesforce', { contacts: 100_000, latency: 5 }, async ({ measure }) => {
    const reading = await measure('read');
    const writing = await measure('write');
    const read = reading.steps.find(({ name }) => name === 'read');
    const write = writing.steps.find(({ name }) => name === 'write');
    return [
      exactly('contacts read', read?.contacts ?? 0, '', 100_000),
      atMost('time to read them', round(read?.seconds ?? 0), 's', 1.5),
      plain('requests to read them', read?.calls ?? 0, ''),
      plain('peak resident memory, reading', reading.peakMegabytes ?? 0, 'MB'),
      exactly('contacts written', write?.contacts ?? 0, '', 100_000),
      atMost('time to write two fields of each', round(write?.seconds ?? 0), 's', 2),
      atMost('requests to write them', write?.calls ?? 0, '', 10),
      atMost('peak resident memory, writing', writing.peakMegabytes ?? 0, 'MB', 200),
    ];
  });
}
