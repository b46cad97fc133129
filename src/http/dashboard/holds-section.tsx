import { countOf } from '../../core/quantities.ts';
import { BatchRow } from './batches.tsx';
import type { HoldsView, HoldView } from './holds.ts';
import { Cell, CommandLine, Decision, Heads, Moment, RecordId } from './parts.tsx';

/** What waits for a person, with the decisions for those who may make them. */
export function HoldsSection(props: { holds: HoldsView; isAdmin: boolean; now: number }) {
  const { holds, isAdmin, now } = props;
  const more = holds.total - holds.batches.length - holds.shown.length;
  return (
    <section class="card" id="holds" aria-labelledby="holds-title">
      <h2 id="holds-title">Held for a person</h2>
      <div id="holds-live" data-live>
        {holds.total === 0 ? (
          <p class="empty">Nothing waits for a decision.</p>
        ) : (
          <>
            <p class="quiet">
              Names are kept nowhere. To see them: <CommandLine text="donor-sync holds --show" />
            </p>
            <HoldTable holds={holds} isAdmin={isAdmin} now={now} />
          </>
        )}
        {more > 0 && (
          <p class="quiet">
            And {countOf(more, 'more')}: <CommandLine text="donor-sync holds" />
          </p>
        )}
      </div>
    </section>
  );
}

function HoldTable(props: { holds: HoldsView; isAdmin: boolean; now: number }) {
  const { holds, isAdmin, now } = props;
  return (
    <table class="stacks">
      <caption class="hidden">Contacts and networks that are held</caption>
      <Heads
        texts={[
          ...['Contact or network', 'Integration', 'Why', 'Since'],
          ...(isAdmin ? [<span class="hidden">Decision</span>] : []),
        ]}
      />
      <tbody>
        {holds.batches.map((batch) => (
          <BatchRow key={batch.id} batch={batch} isAdmin={isAdmin} now={now} />
        ))}
        {holds.shown.map((hold) => (
          <tr key={hold.id}>
            <th scope="row">
              {hold.about === 'network' ? (
                hold.subject
              ) : (
                <RecordId id={hold.subject} url={hold.url} />
              )}
            </th>
            <Cell label="Integration">{hold.integration.name}</Cell>
            <Cell label="Why">{hold.why}</Cell>
            <Cell label="Since">
              <Moment at={hold.since} now={now} />
            </Cell>
            {isAdmin && (
              <td class="action">
                <Decide hold={hold} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A click opens the choices, each with what happens then. */
function Decide({ hold }: { hold: HoldView }) {
  const dialog = `hold-${hold.id}`;
  return (
    <Decision
      id={dialog}
      about={hold.subject}
      title={`${hold.subject} of ${hold.integration.name}`}
    >
      <p>{hold.why}</p>
      {hold.choices.map(({ decision, label, effect }) => (
        <form key={decision} method="post" action={`/holds/${hold.id}/${decision}`} class="choice">
          <button type="submit" class="button">
            {label}
          </button>
          <span class="quiet">{effect}</span>
        </form>
      ))}
    </Decision>
  );
}
