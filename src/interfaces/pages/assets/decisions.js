/**
 * Handles the keyboard shortcuts of the decisions page, and shows the remaining seconds to withdraw a decision. Each
 * key presses a button or follows a link of the page. Browsers get this file unchanged.
 */
'use strict';

{
  const SWITCH = 'donor-sync.keys';
  const legend = document.querySelector('[data-legend]');
  const toggle = document.querySelector('[data-keys-switch]');
  let areKeysOn = localStorage.getItem(SWITCH) !== 'off';

  legend?.toggleAttribute('hidden', false);
  showSwitch();
  toggle?.addEventListener('click', () => {
    areKeysOn = !areKeysOn;
    localStorage.setItem(SWITCH, areKeysOn ? 'on' : 'off');
    showSwitch();
  });
  document.addEventListener('keydown', (event) => {
    if (!areKeysOn || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    const { target } = event;
    if (target instanceof Element && target.closest('input, select, textarea, [popover]')) return;
    const key = event.key.toLowerCase();
    const pressed = [...document.querySelectorAll('[data-key]')].find(
      (element) => element.getAttribute('data-key') === key,
    );
    if (!(pressed instanceof HTMLElement)) return;
    event.preventDefault();
    pressed.click();
  });
  document.getElementById('current')?.scrollIntoView({ block: 'nearest' });
  countDown();

  function showSwitch() {
    document.body.classList.toggle('keys-on', areKeysOn);
    toggle?.setAttribute('aria-pressed', String(areKeysOn));
    if (toggle)
      toggle.textContent = areKeysOn ? 'Keyboard shortcuts are on' : 'Keyboard shortcuts are off';
  }

  function countDown() {
    const bar = document.querySelector('[data-undo]');
    const place = bar?.querySelector('[data-seconds]');
    if (!bar || !place) return;
    // Screen readers announce the message only once, and not every second.
    bar.removeAttribute('role');
    const endsAt = Date.now() + Number(bar.getAttribute('data-undo')) * 1_000;
    const timer = setInterval(() => {
      const seconds = Math.ceil((endsAt - Date.now()) / 1_000);
      place.textContent = seconds === 1 ? '1 second' : `${seconds} seconds`;
      if (seconds > 0) return;
      clearInterval(timer);
      bar.remove();
    }, 250);
    const url = new URL(location.href);
    url.searchParams.delete('undo');
    history.replaceState(null, '', url);
  }
}
