"""Playing games: settings, openings, schedule, referee, adjudication, clocks, workers, events."""
