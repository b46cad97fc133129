/**
 * Tests the card's component with HubSpot's test library and the real door. The stand-in forwards each call and signs
 * it as HubSpot does.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { controlService } from '../../../helpers/service-control.ts';
import { type HubspotWorld, openHubspotWorld } from './hubspot-world.ts';

const open = closedAfterTest(openHubspotWorld);
const CARD = fileURLToPath(
  new URL('../../../../deploy/hubspot/src/app/cards/ContactCard.tsx', import.meta.url),
);

// The import uses a variable, because the package's types declare a browser's elements for the whole program.
// Otherwise they would hide the types that the page tests use.
const UI = '@hubspot/ui-extensions';
const TESTING = '@hubspot/ui-extensions/testing';
const REACT = 'react';

/** The part of HubSpot's test library that these tests use. */
interface Rendered {
  text: string | null;
  props: Record<string, unknown>;
  trigger(event: string, argument?: unknown): void;
}
interface Renderer {
  render(element: unknown): void;
  find(component: unknown): Rendered;
  maybeFind(component: unknown): Rendered | null;
  findAll(component: unknown): Rendered[];
}

const { Alert, Button, Link, Text }: Record<'Alert' | 'Button' | 'Link' | 'Text', unknown> =
  await import(UI);

/** Renders the card, and sends its calls through the stand-in's record page. */
async function renderCard(world: HubspotWorld, contact: string) {
  vi.stubGlobal('self', {
    extend: () => {},
    extend_V2: () => {},
    hsFetch: async (url: string, { body }: { body: object }) => {
      const path = url.slice(url.indexOf('/card/') + '/card/'.length);
      const { status, answer } = await world.card(path, body);
      return new Response(answer, { status: status ?? 502 });
    },
  });
  // Not type-checked together with the product, because its JSX is React's.
  const card: { ContactCard: unknown } = await import(CARD);
  const react: { createElement(component: unknown, props: object): unknown } = await import(REACT);
  const testing: { createRenderer(location: string): Renderer } = await import(TESTING);
  const renderer = testing.createRenderer('crm.record.tab');
  renderer.render(react.createElement(card.ContactCard, { contact }));
  return renderer;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the card', () => {
  it("compiles with the vendor's types", async () => {
    const tsc = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));
    const folder = fileURLToPath(new URL('.', `file://${CARD}`));
    await promisify(execFile)(process.execPath, [tsc, '-p', folder]);
  });

  it('shows a stranger the link and no value, and a linked admin the profile after one click on Enhance', async () => {
    const world = await open({ contacts: 2, integration: { budget: { perRun: 1 } } });
    await world.syncAll();
    const shown = await Promise.all((await world.contactsOf()).map((id) => world.show(id)));
    const contact = String(
      shown.find((one) => one.contact.paidAt === null)?.contact['contact'] ?? '',
    );
    const stranger = await renderCard(world, contact);
    await vi.waitFor(() => expect(stranger.maybeFind(Text)).not.toBeNull(), 10_000);
    const links = stranger.findAll(Link).map(({ props }) => String(props['href']));
    expect(links[0]).toMatch(/\/link\/.{40}/);
    expect(stranger.findAll(Button)).toEqual([]);

    await world.linkAs('Ada', 'admin', contact);
    const { spent } = controlService(world.service);
    const before = await spent();
    const card = await renderCard(world, contact);
    await vi.waitFor(() => expect(card.maybeFind(Button)).not.toBeNull(), 10_000);
    const button = card.find(Button);
    expect(button.text).toBe('Enhance: 1 credit');
    button.trigger('onClick', {});
    await vi.waitFor(() => expect(card.find(Alert).props['title']).toBe('Done'), 10_000);
    await vi.waitFor(async () => expect((await spent()) - before).toBe(1), 10_000);
    await vi.waitFor(async () => {
      const again = await world.show(contact);
      expect(again.contact.values?.profile.length).toBeGreaterThan(0);
    }, 10_000);
  });
});
