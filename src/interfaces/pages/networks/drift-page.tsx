/** Shows the changes that someone made in a client's networks at the service, and the button that reverts them. */
import { describeCount } from '../../../core/quantities.ts';
import { type DriftView, describeDifferences } from '../../../networks/drift-view.ts';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { ConfirmDialog, Status } from '../frame/parts.tsx';

export interface DriftContent {
  integration: { id: string; name: string };
  networks: DriftView[];
  /** The number of members who could not be added before. The repair tries to add these members again. */
  failed: number;
}

export function DriftPage({ content, viewer }: { content: DriftContent; viewer: Viewer }) {
  const { integration, networks, failed } = content;
  const removed = networks.reduce((sum, { removedByHand }) => sum + removedByHand.length, 0);
  const added = networks.reduce((sum, { addedByHand }) => sum + addedByHand.length, 0);
  const isSame =
    failed === 0 && networks.every((network) => describeDifferences(network).length === 0);
  const price = describeCount(removed + failed, 'credit');
  return (
    <Layout
      area="networks"
      title={`Networks of ${integration.name}`}
      viewer={viewer}
      assets={['networkStyles']}
    >
      <p class="crumbs">
        <a href="/networks">Networks</a> <span aria-hidden="true">/</span>{' '}
        <a href={`/networks/${integration.id}`}>{integration.name}</a>
      </p>
      <section class="card" aria-labelledby="drift-title">
        <h1 class="run-title" id="drift-title">
          The networks of {integration.name} in the service
        </h1>
        {networks.map((network) => {
          const lines = describeDifferences(network);
          return (
            <section key={network.name} aria-label={network.name}>
              <h2>{network.name}</h2>
              {lines.length === 0 ? (
                <p>
                  <Status kind="well" word="as mirrored" />
                </p>
              ) : (
                <ul class="sentences">
                  {lines.map((line) => (
                    <li>{line}</li>
                  ))}
                </ul>
              )}
            </section>
          );
        })}
        {!isSame && (
          <div class="row actions">
            <ConfirmDialog
              id="repair"
              label={`Repair (at most ${price})`}
              title={`Update the networks to match their groups?`}
              action={`/networks/${integration.id}/repair?members=${removed}`}
              answer={`Repair, for at most ${price}`}
            >
              {`Removed by hand: ${describeCount(removed, 'member')}, who are added again for a credit each. Added by hand: ${added}, who are removed unless they are in the group. Tried again, for a credit each: ${failed}. New members of the groups are also added, as the next sync would do.`}
            </ConfirmDialog>
          </div>
        )}
      </section>
    </Layout>
  );
}
