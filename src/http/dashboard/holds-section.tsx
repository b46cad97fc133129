import { countOf } from '../../core/quantities.ts';
import { BatchRow } from './batches.tsx';
import type { HoldsView, HoldView } from './holds.ts';
import { CommandLine, Dialog, Moment, RecordId } from './parts.tsx';

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
      <thead>
        <tr>
          <th scope="col">Contact or network</th>
          <th scope="col">Integration</th>
          <th scope="col">Why</th>
          <th scope="col">Since</th>
          {isAdmin && (
            <th scope="col">
              <span class="hidden">Decision</span>
            </th>
          )}
        </tr>
      </thead>
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
            <td data-label="Integration" class="wide">
              {hold.integration.name}
            </td>
            <td data-label="Why" class="wide">
              {hold.why}
            </td>
            <td data-label="Since" class="wide">
              <Moment at={hold.since} now={now} />
            </td>
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
    <>
      <button type="button" class="button small" id={`${dialog}-decide`} popovertarget={dialog}>
        Decide<span class="hidden"> about {hold.subject}</span>
      </button>
      <Dialog id={dialog} title={`${hold.subject} of ${hold.integration.name}`}>
        <p>{hold.why}</p>
        {hold.choices.map(({ decision, label, effect }) => (
          <form
            key={decision}
            method="post"
            action={`/holds/${hold.id}/${decision}`}
            class="choice"
          >
            <button type="submit" class="button">
              {label}
            </button>
            <span class="quiet">{effect}</span>
          </form>
        ))}
        <button
          type="button"
          class="button plain"
          popovertarget={dialog}
          popovertargetaction="hide"
        >
          Decide later
        </button>
      </Dialog>
    </>
  );
}
