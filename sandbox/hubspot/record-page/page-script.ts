/**
 * The script of the record page. The script draws the card's components with plain HTML elements, because HubSpot's own
 * components exist only on its servers. A component that the script does not know is an error, so tests notice when a
 * card uses a new component.
 */
export const PAGE_SCRIPT = `
import { createRemoteReceiver } from '/modules/receiver.js';
const { portalId, contact, userId, userEmail } = JSON.parse(document.getElementById('boot').textContent);
const receiver = createRemoteReceiver();
const worker = new Worker('/modules/card.js');
const place = document.getElementById('card');
worker.onerror = ({ message }) => { throw new Error(message); };
worker.onmessage = async ({ data }) => {
  if (data.kind === 'change') receiver.receive(...decode(data.change));
  if (data.kind === 'fetch') {
    const response = await fetch('/card-fetch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: data.url, body: data.body, userId, userEmail }),
    });
    worker.postMessage({ kind: 'fetched', id: data.id, ...(await response.json()) });
  }
};
// Functions stay in the worker. The page knows their numbers.
function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== 'object') return value;
  if ('remoteFunction' in value) {
    return () => worker.postMessage({ kind: 'call', id: value.remoteFunction });
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, decode(each)]));
}
const { root } = receiver.attached;
const followed = new Set();
function follow(node) {
  if (followed.has(node.id)) return;
  followed.add(node.id);
  receiver.attached.subscribe(node, draw);
}
receiver.on('mount', draw);
function draw() {
  follow(root);
  place.replaceChildren(...root.children.map(toElement));
}
const element = (tag, children = [], attributes = {}) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const COMPONENTS = {
  Alert: ({ title, variant }, children) =>
    element('div', [element('strong', [title]), ' ', ...children], { role: variant === 'error' ? 'alert' : 'status' }),
  Button: ({ disabled, onClick }, children) => {
    const button = element('button', children, { type: 'button' });
    button.disabled = disabled === true;
    button.addEventListener('click', () => onClick?.());
    return button;
  },
  DescriptionList: (_, children) => element('dl', children),
  DescriptionListItem: ({ label }, children) => element('div', [element('dt', [label]), element('dd', children)]),
  Divider: () => element('hr'),
  Flex: (_, children) => element('div', children),
  Heading: (_, children) => element('h3', children),
  Link: ({ href }, children) =>
    element('a', children, { href: typeof href === 'string' ? href : href.url, target: '_blank', rel: 'noopener noreferrer' }),
  LoadingSpinner: ({ label }) => element('p', [label], { role: 'status' }),
  Text: (_, children) => element('p', children),
};
function toElement(node) {
  follow(node);
  if (node.kind === 2) return document.createTextNode(node.text);
  const make = COMPONENTS[node.type];
  if (make === undefined) throw new Error('HubSpot has no component ' + node.type);
  return make(node.props, node.children.map(toElement));
}
worker.postMessage({
  kind: 'show',
  context: {
    location: 'crm.record.tab',
    crm: { objectId: Number(contact), objectTypeId: '0-1' },
    portal: { id: portalId },
    user: { id: Number(userId), email: userEmail },
  },
});
`;
