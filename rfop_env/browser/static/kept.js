// The games of a page without a server in the browser's storage, where it has one: they outlast the page. All pages of
// one folder may share a storage, so the keys of a page begin with what it plays.

const MOST = 40; // games; the ones with the oldest last move go

export function keptGames({ id, digest, options }) {
  const prefix = `rfop-game-${id}-${digest}-${options.join(".")}-`;

  // The texts of all games, by key.
  function read() {
    try {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
      return new Map(keys.map((key) => [key, localStorage.getItem(key)]));
    } catch {
      return new Map();
    }
  }

  // Keep games, as texts; whether there was room.
  function write(games) {
    try {
      for (const { id: game, text } of games) localStorage.setItem(prefix + game, text);
      return true;
    } catch {
      return false;
    }
  }

  function forget(game) {
    try {
      localStorage.removeItem(prefix + game);
    } catch {
      // there is none
    }
  }

  // Leave so many games, the ones with the newest last move.
  function forgetOldest(most) {
    const byTime = [...read()].map(([key, text]) => [time(text), key.slice(prefix.length)]).sort((a, b) => b[0] - a[0]);
    for (const [, game] of byTime.slice(most)) forget(game);
    return Math.min(most, byTime.length);
  }

  function time(text) {
    try {
      return JSON.parse(text).summary.time;
    } catch {
      return 0;
    }
  }

  return {
    isGame: (key) => key === null || key.startsWith(prefix), // null: all are gone
    texts: () => [...read().values()],
    forget,
    keep(games) {
      if (!games.length) return;
      let most = MOST;
      while (!write(games) && most > 0) most = forgetOldest(most) - 1; // the storage is full
      forgetOldest(MOST);
    },
  };
}
