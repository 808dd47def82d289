package cacheclient_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Example reads through the cache. The ring stands still and its only member is dead, and so the
// value comes from its origin; in a cluster the source is cacheclient.File or apiwatch.Source.
func Example() {
	client, err := cacheclient.New(cacheclient.Options{
		Source:  cacheclient.Fixed{Ring: ring.Document{Version: 1, Members: []string{"orders-cache-0"}}},
		Address: cacheclient.InCluster("orders-cache", "shop"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	value, err := client.GetOrLoad(context.Background(), []byte("order-7"), time.Minute, func(context.Context) ([]byte, error) {
		return []byte("from the database"), nil
	})
	fmt.Printf("%s, %v\n", value, err)
	// Output: from the database, <nil>
}
