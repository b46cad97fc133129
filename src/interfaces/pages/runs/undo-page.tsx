/**
 * Shows the values that an undo would restore and the values that it would not change. The page also has the button
 * that undoes the run.
 */
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { Restorable } from '../../../operations/undo-preview.ts';
import { contactHref } from '../contacts/contact-href.ts';
import { Layout, type Viewer } from '../frame/layout.tsx';
import {
  ContactId,
  CountCells,
  Fact,
  Icon,
  TableCell,
  TableHead,
  Timestamp,
} from '../frame/parts.tsx';

export interface UndoContent {
  restorable: Restorable;
  /** The digest of the question that the user answers with the button. */
  digest: string;
  clientName: string;
}

export function UndoPage({ content, viewer }: { content: UndoContent; viewer: Viewer }) {
  const { restorable, digest, clientName } = content;
  const { run, problem, contacts, checked, restored, needsSecondUser } = restorable;
  const isNothing = problem === null && checked === contacts && restored.values === 0;
  return (
    <Layout
      area="runs"
      title={`Undo · Run of ${clientName}`}
      viewer={viewer}
      assets={['runStyles']}
    >
      <p class="crumbs">
        <a href={`/runs/${run}`}>← The run</a>
      </p>
      <section class="card" aria-labelledby="undo-title">
        <h1 class="run-title" id="undo-title">
          {isNothing ? 'No value of this run can be restored' : `Undo this run of ${clientName}?`}
        </h1>
        <Numbers restorable={restorable} now={viewer.now} />
        {problem !== null && (
          <div class="trouble trouble-attention">
            <Icon kind="attention" />
            <p>
              The CRM could not be read, so it is not known which values stay as they are. {problem}{' '}
              You can request the undo anyway. It compares each value before it changes it.
            </p>
          </div>
        )}
        <Kept restorable={restorable} />
        {!isNothing && (
          <p>
            Credits are not refunded, and the next syncs do not write these profiles again. The undo
            continues after a restart, and the page of the run shows its progress.
          </p>
        )}
        {needsSecondUser && (
          <p>
            <strong>Another user must confirm the undo before it starts.</strong>
          </p>
        )}
        <div class="row actions">
          {!isNothing && (
            <form method="post" action={`/runs/${run}/undo`}>
              <input type="hidden" name="digest" value={digest} />
              <button type="submit" class="button primary">
                {needsSecondUser ? 'Request the undo' : 'Undo run'}
              </button>
            </form>
          )}
          <a class="button" href={`/runs/${run}`}>
            {isNothing ? 'Back' : 'Cancel'}
          </a>
        </div>
      </section>
    </Layout>
  );
}

function Numbers({ restorable, now }: { restorable: Restorable; now: number }) {
  const { contacts, values, checked, restored, kept, problem } = restorable;
  const left = kept.reduce((sum, each) => sum + each.values, 0);
  return (
    <>
      <dl class="facts">
        <Fact name="Start of the run">
          <Timestamp at={restorable.startedAt} now={now} as="moment" />
        </Fact>
        <Fact name="Written by the run">
          {describeCount(values, 'value')} in {describeCount(contacts, 'contact')}
        </Fact>
        {problem === null && (
          <Fact name="Restored to the values before the run">
            {describeCount(restored.values, 'value')} in{' '}
            {describeCount(restored.contacts, 'contact')}
          </Fact>
        )}
        {problem === null && <Fact name="Stay as they are">{describeCount(left, 'value')}</Fact>}
      </dl>
      {problem === null && checked < contacts && (
        <p class="quiet">
          The numbers are about the {formatCount(checked)} contacts that the run wrote last. The
          undo compares all {formatCount(contacts)} contacts before it changes them.
        </p>
      )}
    </>
  );
}

function Kept({ restorable }: { restorable: Restorable }) {
  const { kept, keptContacts, integration } = restorable;
  if (kept.length === 0) return null;
  const all = kept.reduce((sum, { contacts }) => sum + contacts, 0);
  return (
    <>
      <table class="stacks examples">
        <caption>Values that stay as they are, and why</caption>
        <TableHead texts={['Reason']} counts={['Contacts', 'Values']} />
        <tbody>
          {kept.map(({ reason, text, contacts, values }) => (
            <tr key={reason}>
              <th scope="row">{text}</th>
              <CountCells counts={{ Contacts: contacts, Values: values }} />
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>The contacts</summary>
        <table class="stacks">
          <TableHead texts={['Contact', 'Fields', 'Reason']} />
          <tbody>
            {keptContacts.map(({ crmId, fields, text }) => (
              <tr key={`${crmId} ${text}`}>
                <th scope="row">
                  <ContactId
                    id={crmId}
                    url={null}
                    href={contactHref(integration, crmId)}
                    client={integration}
                  />
                </th>
                <TableCell label="Fields">{fields.join(', ')}</TableCell>
                <TableCell label="Reason">{text}</TableCell>
              </tr>
            ))}
          </tbody>
        </table>
        {all > keptContacts.length && (
          <p class="quiet">
            The first {formatCount(keptContacts.length)} of {formatCount(all)}.
          </p>
        )}
      </details>
    </>
  );
}
