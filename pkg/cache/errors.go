package cache

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrKey says that a key is empty or longer than MaxKeySize.
	ErrKey = errors.New("key must have 1 to 1024 bytes")
	// ErrTooLarge says that a value is longer than Options.MaxValueSize; the
	// text of the wrapping error names both lengths.
	ErrTooLarge = errors.New("value too large")
	// ErrTTL says that a time to live is negative or above MaxTTL.
	ErrTTL = errors.New("time to live out of range")
)

func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > MaxKeySize {
		return fmt.Errorf("key of %d bytes: %w", len(key), ErrKey)
	}
	return nil
}

func checkTTL(ttl time.Duration) error {
	if ttl < 0 || ttl > MaxTTL {
		return fmt.Errorf("%w: %v is not between 0 (no expiry) and %v", ErrTTL, ttl, MaxTTL)
	}
	return nil
}
