import { crmName } from '../../../../connectors/index.ts';
import type { Setup } from '../../../clients/setup/draft.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { nextStep } from '../../../clients/setup/steps.ts';
import { isoTime } from '../../../core/clock.ts';
import { describeCount } from '../../../core/quantities.ts';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { ConfirmDialog, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { Field } from './parts.tsx';
import { STEP_NAMES } from './steps.ts';

export interface StartView {
  setups: readonly Setup[];
  integrations: readonly { id: string; name: string; kind: string; isOfFile: boolean }[];
  /** The number of further integrations, which the page does not list. */
  more: number;
  /** The search text. */
  find: string;
  note: string | null;
}

/** Renders the page on which users start or continue a set-up, or change an integration. */
export function StartPage({ viewer, view }: { viewer: Viewer; view: StartView }) {
  const { setups, integrations, more, find, note } = view;
  const isFirst = setups.length + integrations.length === 0 && find === '';
  return (
    <Layout title="Set-up" viewer={viewer} area="setup" note={note} assets={['setupStyles']}>
      <section class="card" aria-labelledby="begin-title">
        <h1 id="begin-title">{isFirst ? 'Welcome. Set up your first client' : 'Set-up'}</h1>
        <p class="actions quiet">
          Connect a CRM or upload a CSV file, choose which contacts to send and where to write the
          profiles, and try it with 25 contacts. There are seven short steps. You can stop at any
          step and continue later.
        </p>
        {viewer.principal?.integrations === null && (
          <form class="inline" method="post" action="/setup">
            <Field
              name="name"
              label={QUESTIONS.name.label}
              placeholder="Example Food Bank"
              isNeeded
            />
            <button type="submit" class="button primary">
              Begin
            </button>
          </form>
        )}
      </section>
      {setups.length > 0 && (
        <section class="card" aria-labelledby="open-title">
          <h2 id="open-title">Not finished</h2>
          <p class="quiet">Your answers are kept, encrypted, for 30 days.</p>
          <table class="stacks">
            <TableHead
              texts={[
                'Client',
                'Next step',
                'Last changed',
                <span class="hidden">Discard it</span>,
              ]}
            />
            <tbody>
              {setups.map((setup) => (
                <tr>
                  <th scope="row">
                    <a href={`/setup/${setup.id}`}>{setup.answers.name ?? setup.id}</a>
                  </th>
                  <TableCell label="Next step">
                    {STEP_NAMES[nextStep(setup)]}
                    {setup.isNew ? '' : ' (a change)'}
                  </TableCell>
                  <TableCell label="Last changed">
                    <Timestamp at={isoTime(setup.updatedAt)} now={viewer.now} />
                  </TableCell>
                  <td class="action">
                    <ConfirmDialog
                      id={`drop-${setup.id}`}
                      label="Drop"
                      title={`Discard the set-up of ${setup.answers.name ?? setup.id}?`}
                      action={`/setup/${setup.id}/drop`}
                      answer="Discard it"
                    >
                      donor-sync deletes all answers and keys in this set-up. Settings that were
                      saved earlier stay unchanged.
                    </ConfirmDialog>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {(integrations.length > 0 || find !== '') && (
        <section class="card" aria-labelledby="there-title">
          <h2 id="there-title">{describeCount(integrations.length + more, 'client')}</h2>
          {(more > 0 || find !== '') && (
            <form class="inline actions" method="get" action="/setup">
              <Field name="find" label="Name or id" type="search" value={find} />
              <button type="submit" class="button">
                Find
              </button>
            </form>
          )}
          <table class="stacks">
            <TableHead texts={['Client', 'CRM', 'Settings']} />
            <tbody>
              {integrations.map(({ id, name, kind, isOfFile }) => (
                <tr>
                  <th scope="row">
                    <a href={`/setup/${id}`}>{name}</a>
                  </th>
                  <TableCell label="CRM">{crmName(kind)}</TableCell>
                  <TableCell label="Settings">
                    {isOfFile ? 'in donor-sync.yaml' : 'set up here'}
                  </TableCell>
                </tr>
              ))}
            </tbody>
          </table>
          {more > 0 && <p class="quiet">The first {integrations.length} clients are listed.</p>}
        </section>
      )}
    </Layout>
  );
}
