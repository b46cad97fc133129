/** Contacts that are decided together: their line among the holds, and their page. */
import type { BatchExample } from '../../application/batch-examples.ts';
import { countOf } from '../../core/quantities.ts';
import type { BatchView } from './holds.ts';
import { Layout, type Viewer } from './layout.tsx';
import { Cell, Decision, Heads, Moment, Question, RecordId } from './parts.tsx';

/** One line for all contacts of a batch. */
export function BatchRow(props: { batch: BatchView; isAdmin: boolean; now: number }) {
  const { batch, isAdmin, now } = props;
  return (
    <tr>
      <th scope="row">{countOf(batch.count, 'contact')}</th>
      <Cell label="Integration">{batch.integration.name}</Cell>
      <Cell label="Why">{whyText(batch)}</Cell>
      <Cell label="Since">
        <Moment at={batch.since} now={now} />
      </Cell>
      {isAdmin && (
        <td class="action">
          <DecideBatch batch={batch} />
        </td>
      )}
    </tr>
  );
}

function whyText({ changed, credits }: BatchView): string {
  return `Their details changed at about the same time: ${changed}. To ask the service again would take ${countOf(credits, 'credit')}.`;
}

/** A click opens the question with examples; each answer asks once more before it counts. */
function DecideBatch({ batch }: { batch: BatchView }) {
  const { id, count, integration } = batch;
  const dialog = `batch-${id}`;
  const subject = `${countOf(count, 'contact')} of ${integration.name}`;
  return (
    <Decision id={dialog} about={subject} title={subject}>
      <p>{whyText(batch)}</p>
      <div data-load>
        <p>
          <a href={`/holds/batches/${id}`}>Show three of them as the CRM has them now</a>
        </p>
      </div>
      <BatchChoices batch={batch} place={dialog} />
    </Decision>
  );
}

/** Both answers with what each of them costs. */
function BatchChoices({ batch, place }: { batch: BatchView; place: string }) {
  const { id, count, credits } = batch;
  const contacts = countOf(count, 'contact');
  const price = countOf(credits, 'credit');
  return (
    <>
      <Choice
        id={`${place}-approve`}
        action={`/holds/batches/${id}/approve`}
        label={`Approve all (${price})`}
        effect="They are worth asking about again: the next sync asks the service, for a credit each."
        question={`Spend ${price}?`}
        consequence={`The next sync submits ${contacts} again and spends ${price} at most.`}
        answer={`Approve all ${contacts}`}
      />
      <Choice
        id={`${place}-reject`}
        action={`/holds/batches/${id}/reject`}
        label="Reject all (no credit)"
        effect="They are the same people still: the new details are taken over, and nothing is spent."
        question={`Take over the details of ${contacts}?`}
        consequence="They count as known from now on. A later change is looked at anew."
        answer={`Reject all ${contacts}`}
      />
    </>
  );
}

interface ChoiceProps {
  id: string;
  action: string;
  label: string;
  effect: string;
  question: string;
  consequence: string;
  answer: string;
}

function Choice({ effect, question, consequence, ...asked }: ChoiceProps) {
  return (
    <div class="choice priced">
      <Question {...asked} title={question}>
        {consequence}
      </Question>
      <span class="quiet">{effect}</span>
    </div>
  );
}

/** What the page of a batch shows; names and addresses are for this answer alone. */
export interface BatchDetail {
  batch: BatchView;
  examples: (BatchExample & { url: string | null })[];
}

/** A few contacts of a batch as the CRM has them now, and the decision. */
export function BatchPage({ detail, viewer }: { detail: BatchDetail; viewer: Viewer }) {
  const { batch, examples } = detail;
  return (
    <Layout title="Contacts that changed" viewer={viewer}>
      <p>
        <a href="/#holds">← Status</a>
      </p>
      <section class="card batch" aria-labelledby="batch-title">
        <h1 class="run-title" id="batch-title">
          {countOf(batch.count, 'contact')} of {batch.integration.name}
        </h1>
        <p>{whyText(batch)}</p>
        <div data-fragment>
          <table class="stacks examples">
            <caption>Examples, as the CRM has them now; none of it is kept</caption>
            <Heads texts={['Contact', 'Name', 'Now']} />
            <tbody>
              {examples.map(({ contact, url, name, now }) => (
                <tr key={contact}>
                  <th scope="row">
                    <RecordId id={contact} url={url} />
                  </th>
                  <Cell label="Name">{name ?? 'no longer in the CRM'}</Cell>
                  <Cell label="Now">
                    {now.map(({ part, text }) => (
                      <div key={part}>
                        {part}: {text}
                      </div>
                    ))}
                  </Cell>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <BatchChoices batch={batch} place="batch" />
      </section>
    </Layout>
  );
}
